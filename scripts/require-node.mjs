/** Runs before any TypeScript is loaded (`node --import`), on whatever Node there is: older ones would fail with a riddle. */
const REQUIRED_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < REQUIRED_MAJOR) {
  console.error(
    `Node ${REQUIRED_MAJOR} or newer is needed, this is ${process.versions.node}. The repository brings its own: run \`npm ci\`, then start through npm (\`npm run check\`, \`npm test\`, \`npm start\`).`,
  );
  process.exit(1);
}
