/** What a function may do on a Valkey server, in the server's own words (an access string): its commands on its keys, and nothing else. */
export const CACHE_ACCESS = [
  'on',
  ...['~order:*', '~order_summary:*'],
  '-@all',
  ...['+eval', '+get', '+set', '+del', '+info'],
  // How the client finds out where keys lie.
  ...['+cluster|slots', '+cluster|info', '+cluster|nodes', '+ping'],
].join(' ');
