import { expect, test } from 'vitest'
import { apiUrl } from './api-url.ts'
import { parseFields, searchOf } from './parse-fields.ts'

const json = async (strings: string[], typed: string[] = []) => JSON.stringify(await parseFields(strings, typed))

test.each([
  [['name=a=b', 'empty='], [], '{"name":"a=b","empty":""}'],
  [['n=1', 'b=true'], [], '{"n":"1","b":"true"}'],
  [
    [],
    ['n=1', 'f=-2.5', 'b=false', 'z=null', 's=text', 'v=1.2.3', 'o=007'],
    '{"n":1,"f":-2.5,"b":false,"z":null,"s":"text","v":"1.2.3","o":"007"}',
  ],
  [
    [],
    ['n=9007199254740992', 'i=1234567890123456', 'd=0.1', 'e=0.300000000000000'],
    '{"n":9007199254740992,"i":1234567890123456,"d":0.1,"e":0.3}',
  ],
  [['a[b][c]=1', 'a[b][d]=2', 'list[]=x', 'list[]=y'], [], '{"a":{"b":{"c":"1","d":"2"}},"list":["x","y"]}'],
  [['__proto__[x]=1', 'constructor=2'], [], '{"__proto__":{"x":"1"},"constructor":"2"}'],
])('parses strings %j and typed values %j to %s', async (strings, typed, expected) => {
  expect(await json(strings, typed)).toBe(expected)
  expect(({} as { x?: string }).x).toBeUndefined()
})

test.each([[['name']], [['=x']], [['a=1', 'a=2']], [['a[]=1', 'a[b]=2']], [['a[b=1']], [['a]=1']]])(
  'rejects %j as a usage error',
  async (strings) => {
    await expect(parseFields(strings, [])).rejects.toMatchObject({ exitCode: 2 })
  },
)

test.each(['9007199254740993', '-9007199254740993', '123456789012345.123', '1'.repeat(400)])(
  'rejects %s, which JSON cannot represent exactly, as a number',
  async (number) => {
    const message = `a[n]: JSON cannot represent ${number} exactly; to send it as a string, use --raw-field in place of --field`
    await expect(parseFields([], [`a[n]=${number}`])).rejects.toMatchObject({ exitCode: 2, message })
    expect(await json([`a[n]=${number}`])).toBe(JSON.stringify({ a: { n: number } }))
  },
)

test('rejects nested fields in a query string', async () => {
  expect(searchOf(await parseFields(['search=a b&c'], ['limit=5']))).toBe('search=a+b%26c&limit=5')
  const nested = await parseFields(['a[]=1'], [])
  expect(() => searchOf(nested)).toThrow('cannot contain lists or nested fields')
})

test.each([
  ['/agents', 'https://m.example/api/v1/agents'],
  ['agents?limit=1#x', 'https://m.example/api/v1/agents?limit=1'],
  ['/api/v1/agents', 'https://m.example/api/v1/agents'],
  ['/healthz', 'https://m.example/healthz'],
  ['//evil.example/x', 'https://m.example/api/v1/evil.example/x'],
  ['/users/a b', 'https://m.example/api/v1/users/a%20b'],
])('turns the path %s into the URL %s', (path, url) => {
  expect(apiUrl('https://m.example', path).href).toBe(url)
})

test.each(['https://evil.example/agents', 'javascript:1', '/../x', '/a/%2e%2E/b', '/a/..'])(
  'rejects the path %s',
  (path) => {
    expect(() => apiUrl('https://m.example', path)).toThrow()
  },
)
