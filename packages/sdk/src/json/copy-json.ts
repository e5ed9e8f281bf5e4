const maxDepth = 100
/** Limits the size of the copy. A shared object is copied at every place that uses it, so a few objects can expand without limit. */
const maxValues = 1_000_000
const maxCharacters = 64 << 20

/**
 * Deep-copies plain JSON data. Does not run code in the data, such as a `toJSON` method or a getter. Reads each property of a
 * JavaScript `Proxy` object only once. Omits properties that are `undefined`, like JSON.
 * @param name the value's name in errors
 * @throws TypeError that names the part of the value that JSON cannot represent exactly, such as a class instance, a function,
 * a getter, NaN or a cycle
 * @throws TypeError if the value has more than a million keys and values, or more than 64 Mi characters
 */
export function copyJson(value: unknown, name: string): unknown {
  let values = 0
  let characters = 0
  return copy(value, name, [], (text) => {
    values++
    characters += text.length
    if (values > maxValues) throw new TypeError(`${name} has more than ${maxValues} keys and values`)
    if (characters > maxCharacters) throw new TypeError(`${name} has more than ${maxCharacters} characters`)
  })
}

/**
 * Writes a request body as JSON. Unlike `JSON.stringify`, does not write a number that JSON cannot represent exactly.
 * @throws TypeError that names the field of such a number
 */
export function bodyText(body: unknown): string {
  const paths = new WeakMap<object, string>()
  return JSON.stringify(body, function (this: object, key: string, value: unknown) {
    const above = paths.get(this)
    const at = above === undefined ? 'body' : Array.isArray(this) ? `${above}[${key}]` : `${above}.${key}`
    if (typeof value === 'bigint' || (typeof value === 'number' && !isExact(value)))
      throw refusal(at, describe(value), 'a string')
    if (typeof value === 'object' && value !== null) paths.set(value, at)
    return value
  })
}

/**
 * True for a finite number below 2^53. From there on JavaScript rounds integers: the literal `9007199254740993` is the number
 * 9007199254740992, so nobody can tell which of them was meant.
 */
function isExact(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

function describe(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}, a number above 2^53`
  return ['number', 'undefined'].includes(typeof value) ? String(value) : `a ${typeof value}`
}

type Spend = (text: string) => void

function copy(value: unknown, at: string, above: readonly object[], spend: Spend): unknown {
  spend(typeof value === 'string' ? value : '')
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  // JSON has no negative zero.
  if (isExact(value)) return value === 0 ? 0 : value
  if (typeof value !== 'object') throw refusal(at, describe(value))
  if (above.includes(value)) throw refusal(at, 'an object that contains itself')
  if (above.length >= maxDepth) throw refusal(at, `nested more than ${maxDepth} levels deep`)
  const inside = [...above, value]
  return Array.isArray(value) ? copyList(value, at, inside, spend) : copyObject(value, at, inside, spend)
}

function copyList(list: readonly unknown[], at: string, above: readonly object[], spend: Spend): unknown[] {
  const { length } = list
  if (ownKeys(list, at).length !== length) throw refusal(at, 'an array with gaps or with named properties')
  return Array.from({ length }, (_, index) => {
    return copy(ownValue(list, String(index), at), `${at}[${index}]`, above, spend)
  })
}

function copyObject(object: object, at: string, above: readonly object[], spend: Spend): object {
  const prototype = Object.getPrototypeOf(object)
  // A plain object from another realm (such as a `vm` context) has the Object.prototype of that realm. Every Object.prototype
  // is recognized by its prototype, which is null.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw refusal(at, `a ${classOf(prototype)}`)
  const own = {}
  for (const key of ownKeys(object, at)) {
    const value = ownValue(object, key, at)
    if (value === undefined) continue
    spend(key)
    // Defines the property, because an assignment to "__proto__" would set the prototype.
    const copied = copy(value, `${at}.${key}`, above, spend)
    Object.defineProperty(own, key, { value: copied, writable: true, enumerable: true, configurable: true })
  }
  return own
}

function ownKeys(object: object, at: string): string[] {
  if (Object.getOwnPropertySymbols(object).length > 0) throw refusal(at, 'an object with a symbol key')
  return Object.keys(object)
}

function ownValue(object: object, key: string, at: string): unknown {
  const property = Object.getOwnPropertyDescriptor(object, key)
  if (property === undefined) throw refusal(at, 'an array with gaps or with named properties')
  if (!('value' in property)) throw refusal(`${at}.${key}`, 'a getter')
  return property.value
}

function classOf(prototype: object): string {
  const maker: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'class instance'
}

function refusal(at: string, what: string, data = 'plain data'): TypeError {
  return new TypeError(`${at} is ${what}, which JSON cannot represent exactly; pass ${data}`)
}
