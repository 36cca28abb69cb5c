import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A CommonJS dependency inside an ES module calls `require` for built-in modules; without this the bundle fails at load. */
const REQUIRE_BANNER =
  "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);";

const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  // What is imported on first use is a chunk of its own, read on first use.
  splitting: true,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunk-[hash]',
  alias: { '@aws-sdk/credential-provider-node': join(repository, 'shared/runtime/environment-credentials.ts') },
  banner: { js: REQUIRE_BANNER },
  logLevel: 'warning',
  absWorkingDir: repository,
} as const satisfies BuildOptions;

/**
 * Bundles a function folder with everything it imports: the SDK is the locked one, not the runtime's.
 *
 * @param entry file in the folder; it is called `index` in the bundle, whichever it is
 * @returns what went into it, and how much room it takes
 */
export function bundleFunction(folder: string, outdir: string, entry = 'index.ts'): Metafile {
  return buildSync({ ...OPTIONS, entryPoints: { index: join(folder, entry) }, outdir }).metafile;
}

/** The bundle as what `cdk deploy` uploads, known by its content; built only where it is asked for. */
export const bundledCode = (folder: string, entry: string): Code =>
  Code.fromAsset(folder, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Named because it has to be; nothing is ever built in it.
      image: DockerImage.fromRegistry('none'),
      // Tells two entries of one folder apart, which would otherwise be taken for one bundle.
      command: [entry],
      local: {
        tryBundle(outputDirectory) {
          bundleFunction(folder, outputDirectory, entry);
          return true;
        },
      },
    },
  });
