/** True if an `Accept` header prefers a page to JSON: the weight of `text/html` is higher than that of `application/json`. */
export function prefersHtml(accept = ''): boolean {
  const weights = new Map(accept.split(',').map(weigh))
  const weightOf = (type: string) =>
    weights.get(type) ?? weights.get(`${type.slice(0, type.indexOf('/'))}/*`) ?? weights.get('*/*') ?? 0
  return weightOf('text/html') > weightOf('application/json')
}

function weigh(part: string): [type: string, weight: number] {
  const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const number = weight === undefined ? 1 : Number(weight.slice(2))
  return [type, Number.isNaN(number) ? 0 : number]
}
