import { expect, it } from 'vitest';
import { type CfnTemplate, synthesize } from './synthesize.ts';

/** Hashes follow the code of the functions, which is not what this looks at. */
const normalised = (template: CfnTemplate | undefined): unknown =>
  JSON.parse(
    JSON.stringify(template)
      .replaceAll(/[0-9a-f]{64}/g, '<asset>')
      .replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1<code>'),
  );

// The promises are asserted by name in the other files; this shows a reviewer what else a change does to the stacks.
it('changes the stacks of stage test only together with this snapshot', () => {
  const { data, sandbox, pipeline } = synthesize('test');
  expect({ data: normalised(data), sandbox: normalised(sandbox), pipeline: normalised(pipeline) }).toMatchSnapshot();
});
