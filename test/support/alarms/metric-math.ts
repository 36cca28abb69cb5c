/** One value for each period of a window; undefined where there is none. */
export type Series = readonly (number | undefined)[];
type Value = number | Series;

/**
 * The part of CloudWatch's metric math that our alarms use: numbers, names of metrics, + - * /, comparisons, AND, OR, and the functions
 * FILL, IF and DIFF. A value is missing where a value it is made of is missing; FILL is the exception.
 *
 * @throws SyntaxError for anything else, so that no alarm is judged by what this does not understand
 */
export function evaluateMath(expression: string, metrics: Readonly<Record<string, Series>>, length: number): Series {
  const tokens = expression.match(/[A-Za-z_]\w*|\d+(?:\.\d+)?|>=|<=|==|!=|[-+*/(),<>]/g) ?? [];
  if (tokens.join('') !== expression.replaceAll(/\s/g, '')) throw new SyntaxError(`no metric math: ${expression}`);
  let at = 0;
  const expect = (token: string): void => {
    if (tokens[at++] !== token) throw new SyntaxError(`${expression}: "${token}" expected before "${tokens.slice(at).join(' ')}"`);
  };
  const chain = (operators: readonly string[], next: () => Value) => (): Value => {
    let left = next();
    for (let operator = tokens[at]; operator !== undefined && operators.includes(operator); operator = tokens[at]) {
      at++;
      left = pairwise(left, next(), OPERATORS[operator] as Operator, length);
    }
    return left;
  };
  const primary = (): Value => {
    const token = tokens[at++] ?? '';
    if (/^\d/.test(token)) return Number(token);
    if (token === '(') return closed(either());
    if (tokens[at] === '(') return call(token);
    const series = Object.hasOwn(metrics, token) ? metrics[token] : undefined;
    if (series === undefined) throw new SyntaxError(`${expression}: nothing is called "${token}"`);
    return series;
  };
  const closed = (value: Value): Value => {
    expect(')');
    return value;
  };
  const call = (name: string): Value => {
    const given: Value[] = [];
    for (let separator = '('; tokens[at] === separator; separator = ',') {
      at++;
      given.push(either());
    }
    const apply = FUNCTIONS[name];
    if (apply === undefined) throw new SyntaxError(`${expression}: there is no function ${name} here`);
    return closed(apply(given.map((value) => spread(value, length))));
  };
  const product = chain(['*', '/'], primary);
  const sum = chain(['+', '-'], product);
  const comparison = chain(['>', '>=', '<', '<=', '==', '!='], sum);
  const both = chain(['AND'], comparison);
  const either: () => Value = chain(['OR'], both);
  const value = either();
  if (at < tokens.length) throw new SyntaxError(`${expression}: nothing is expected after "${tokens.slice(0, at).join(' ')}"`);
  return spread(value, length);
}

type Operator = (left: number, right: number) => number;
const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '>': (left, right) => Number(left > right),
  '>=': (left, right) => Number(left >= right),
  '<': (left, right) => Number(left < right),
  '<=': (left, right) => Number(left <= right),
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  AND: (left, right) => Number(left !== 0 && right !== 0),
  OR: (left, right) => Number(left !== 0 || right !== 0),
};

const FUNCTIONS: Readonly<Record<string, (given: readonly Series[]) => Series>> = {
  FILL: ([series = [], filling = []]) => series.map((value, index) => value ?? filling[index]),
  IF: ([condition = [], yes = [], no = []]) =>
    condition.map((value, index) => (value === undefined ? undefined : value !== 0 ? yes[index] : no[index])),
  DIFF: ([series = []]) =>
    series.map((value, index) => {
      const before = series.slice(0, index).findLast((each) => each !== undefined);
      return value === undefined || before === undefined ? undefined : value - before;
    }),
};

const spread = (value: Value, length: number): Series => (typeof value === 'number' ? Array.from({ length }, () => value) : value);

/** A number without a value for it (x/0) is no value either. */
function pairwise(left: Value, right: Value, operator: Operator, length: number): Value {
  const [lefts, rights] = [spread(left, length), spread(right, length)];
  return lefts.map((one, index) => {
    const other = rights[index];
    const result = one === undefined || other === undefined ? undefined : operator(one, other);
    return Number.isFinite(result) ? result : undefined;
  });
}
