/**
 * Where MiniStack 1.5.33 is known not to do what AWS does, by the title of the promise it breaks. On the emulator these tests are
 * expected to fail, so a difference that disappears shows up as a failure too.
 */
export const EMULATOR_DIFFERENCES: Readonly<Record<'dynamodb' | 'sqs', Readonly<Record<string, string>>>> = {
  dynamodb: {
    'keeps 38 digits and counts on with them': 'arithmetic keeps 28 digits',
    'judges gone = lost as false': 'two missing attributes count as equal',
    'removes list elements by the positions they had before': 'positions shift with each removal',
    'refuses an update with the same path twice and changes nothing': 'SET and REMOVE of one path are accepted',
    'refuses an update with two SET sections and changes nothing': 'accepted',
    'refuses an update with a syntax error and changes nothing': 'a doubled equals sign is accepted',
    'refuses an update with a removal below a missing list and changes nothing': 'accepted',
    'refuses an update with a sum with text and changes nothing': 'accepted',
    'refuses an update with a condition of an attribute on itself and changes nothing': 'accepted',
    'refuses attributes an index does not hold': 'accepted',
    'refuses a filter on a key': 'accepted',
    'bills a read by the bytes it looked at, half when eventually consistent': 'every read costs 1, or 0.5',
  },
  sqs: {
    'refuses a delay beyond 15 minutes': 'accepted',
    'refuses an attribute without value': 'accepted',
    'refuses an attribute of an unknown type': 'accepted',
    'deletes by the latest receipt handle, once or twice': 'the second delete is refused',
    'refuses to delete from a FIFO queue by a handle whose time is over': 'accepted',
    'refuses a visibility timeout above twelve hours': 'accepted',
    'refuses to change the visibility of what is visible again': 'accepted, and hides it',
    'refuses a second purge within a minute': 'accepted',
    'refuses a deduplication id with spaces or above 128 characters': 'accepted',
    'refuses a deduplication id on a standard queue': 'accepted',
  },
};
