// dynalite ships no types. Only its pure parts are used: parsers, validators and comparisons.
declare module 'dynalite/db/index.js' {
  const db: {
    validateKey(key: object, table: object): Error | undefined;
    validateItem(item: object, table: object): Error | undefined;
    validateUpdates(legacy: undefined, updates: object | undefined, table: object): Error | undefined;
    validateKeyPaths(nestedPaths: object | undefined, table: object): Error | undefined;
    itemSize(item: object): number;
    compare(operator: string, value: object | undefined, operands: readonly (object | undefined)[]): boolean;
    mapPath(path: readonly (string | number)[], item: object): object | undefined;
    mapPaths(paths: readonly (readonly (string | number)[] | string)[], item: object): object;
  };
  export default db;
}
declare module 'dynalite/validations/index.js' {
  const validations: {
    checkTypes(data: object, types: object): Record<string, unknown>;
    validateAttributeValue(value: object): string | undefined;
    checkValidations(data: object, types: object, custom: unknown, store: object): void;
  };
  export default validations;
}
declare module 'dynalite/validations/*.js' {
  const operation: { types: Record<string, unknown>; custom(data: object, store: object): string | undefined };
  export default operation;
}
