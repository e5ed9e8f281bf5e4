const maxDepth = 100
/** An object that is used in many places is copied for each of them, so a few objects can stand for any number of values. */
const maxValues = 1_000_000
const maxCharacters = 64 << 20

/**
 * A deep copy of plain JSON data, which shares nothing with the value and runs none of its code: no `toJSON`, no getter.
 * Properties that are `undefined` are left out, as in JSON. Proxies are read once.
 * @param name what the value is called in errors
 * @throws TypeError naming the part that JSON cannot say exactly: a class instance (a Date, a Map), a function, a getter, NaN, a cycle …,
 * and for more than a million keys and values, or 64 Mi characters
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

type Spend = (text: string) => void

function copy(value: unknown, at: string, above: readonly object[], spend: Spend): unknown {
  spend(typeof value === 'string' ? value : '')
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  // JSON has no negative zero.
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  if (typeof value !== 'object')
    throw refusal(at, ['number', 'undefined'].includes(typeof value) ? String(value) : `a ${typeof value}`)
  if (above.includes(value)) throw refusal(at, 'an object that contains itself')
  if (above.length >= maxDepth) throw refusal(at, `nested more than ${maxDepth} levels deep`)
  const inside = [...above, value]
  return Array.isArray(value) ? copyList(value, at, inside, spend) : copyObject(value, at, inside, spend)
}

function copyList(list: readonly unknown[], at: string, above: readonly object[], spend: Spend): unknown[] {
  const { length } = list
  if (ownKeys(list, at).length !== length) throw refusal(at, 'a list with gaps or with names')
  return Array.from({ length }, (_, index) => {
    return copy(ownValue(list, String(index), at), `${at}[${index}]`, above, spend)
  })
}

function copyObject(object: object, at: string, above: readonly object[], spend: Spend): object {
  const prototype = Object.getPrototypeOf(object)
  // The plain objects of another realm have another prototype, but it has none of its own either.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw refusal(at, `a ${classOf(prototype)}`)
  const own = {}
  for (const key of ownKeys(object, at)) {
    const value = ownValue(object, key, at)
    if (value === undefined) continue
    spend(key)
    // Assignment would set the prototype for the key "__proto__".
    const copied = copy(value, `${at}.${key}`, above, spend)
    Object.defineProperty(own, key, { value: copied, writable: true, enumerable: true, configurable: true })
  }
  return own
}

function ownKeys(object: object, at: string): string[] {
  if (Object.getOwnPropertySymbols(object).length > 0) throw refusal(at, 'an object with a symbol for a key')
  return Object.keys(object)
}

function ownValue(object: object, key: string, at: string): unknown {
  const property = Object.getOwnPropertyDescriptor(object, key)
  if (property === undefined) throw refusal(at, 'a list with gaps or with names')
  if (!('value' in property)) throw refusal(`${at}.${key}`, 'a getter')
  return property.value
}

function classOf(prototype: object): string {
  const maker: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'class instance'
}

function refusal(at: string, what: string): TypeError {
  return new TypeError(`${at} is ${what}, which JSON cannot represent exactly; pass plain data`)
}
