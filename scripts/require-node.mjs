/** Runs before any TypeScript is loaded (`node --import`), on whatever Node there is: older ones would fail with a riddle. */
const [REQUIRED_MAJOR, REQUIRED_MINOR] = [22, 18];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < REQUIRED_MAJOR || (major === REQUIRED_MAJOR && minor < REQUIRED_MINOR)) {
  console.error(
    `Node ${REQUIRED_MAJOR}.${REQUIRED_MINOR} or newer is needed, this is ${process.versions.node}. The repository brings its own: run \`npm ci\`, then start through npm (\`npm run check\`, \`npm test\`, \`npm start\`).`,
  );
  process.exit(1);
}
