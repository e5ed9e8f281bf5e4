import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { valueFault } from '../src/condition.ts'
import type { Effect, Operator, Outcome } from '../src/types.ts'
import { evaluateCondition } from './evaluate-condition.ts'

const decide = (op: Operator, value: string, path: unknown, effect: Effect = 'deny'): Outcome =>
  evaluateCondition(
    { path: 'args.path', op, value },
    { tool: 'mcp:files/read', args: { path }, agent: {}, environment: {} },
    effect,
  )

describe('under', () => {
  test.each<[string, string]>([
    ['/srv/secrets', 'the base itself'],
    ['/srv/secrets/', 'the base with a separator'],
    ['/srv/secrets/bank.txt', 'a file'],
    ['/srv//secrets///bank.txt', 'repeated separators'],
    ['//srv/secrets/bank.txt', 'a leading separator twice'],
    ['/srv/./secrets/./bank.txt', 'single dots'],
    ['/srv/public/../secrets/bank.txt', 'double dots'],
    ['/../../srv/secrets/bank.txt', 'double dots above the root'],
    ['/SRV/Secrets/BANK.txt', 'another letter case'],
    ['file:///srv/secrets/bank.txt', 'a file URL'],
    ['FILE://LOCALHOST/srv/secrets/bank.txt', 'a file URL with a host'],
    ['file:/srv/secrets/bank.txt', 'a file URL without authority'],
    ['file:///srv/%73ecrets/bank.txt', 'a percent code'],
    ['file:///srv/public/%2e%2e/secrets/bank.txt', 'encoded dots'],
    ['file:///srv/public%2F..%2Fsecrets%2Fbank.txt', 'encoded separators'],
    ['/srv/secrets/a\u200bb', 'an invisible character'],
    ['/srv/se\u200bcrets/a', 'a base with an invisible character'],
    ['/srv/public/..//./secrets/x/../y', 'all of them together'],
  ])('%s is under /srv/secrets: %s', (path) => {
    expect(decide('under', '/srv/secrets', path)).toBe(true)
    expect(decide('not_under', 'file:///srv/secrets/', path, 'allow')).toBe(false)
  })

  test.each<[string, string]>([
    ['/srv/public/bank.txt', 'another folder'],
    ['/srv/secrets/../public/bank.txt', 'double dots that leave it'],
    ['/srv/secrets2/bank.txt', 'a folder whose name begins the same'],
    ['/srv', 'the parent'],
    ['/', 'the root'],
    ['/srv/%73ecrets/bank.txt', 'a percent code in a path that is not a URL'],
    ['file:///srv/%2573ecrets/bank.txt', 'a percent code that is encoded twice'],
    ['/x/srv/secrets', 'the base further down'],
  ])('%s is not under /srv/secrets: %s', (path) => {
    expect(decide('under', '/srv/secrets', path)).toBe(false)
    expect(decide('not_under', '/srv/secrets', path)).toBe(true)
  })

  test.each<[unknown, string]>([
    ['srv/secrets/bank.txt', 'a relative path'],
    ['./secrets', 'a relative path with a dot'],
    ['../secrets', 'a relative path with two dots'],
    ['', 'an empty text'],
    ['~/secrets', 'a home folder'],
    ['~root/secrets', 'the home folder of another user'],
    ['/srv/public\0/x', 'NUL'],
    ['/srv/public\\..\\secrets', 'a backslash'],
    ['C:/srv/secrets', 'a drive letter'],
    ['C:\\srv\\secrets', 'a Windows path'],
    ['/c:/srv/secrets', 'a drive letter below the root'],
    ['file:///C:/srv/secrets', 'a drive letter in a URL'],
    ['file:///C|/srv/secrets', 'a drive letter with a bar'],
    ['\\\\host\\share', 'a share'],
    ['file://example.com/srv/secrets', 'another host'],
    ['file://127.0.0.1/srv/secrets', 'an address as the host'],
    ['file:srv/secrets', 'a relative URL'],
    ['file:///srv/%zz', 'a broken percent code'],
    ['file:///srv/%', 'half a percent code'],
    ['file:///srv/%ff', 'a percent code that is not UTF-8'],
    ['file:///srv/public%00', 'an encoded NUL'],
    ['file:///srv/public%5C..%5Csecrets', 'an encoded backslash'],
    ['file:///srv/public?/../../secrets', 'a query'],
    ['file:///srv/public#/../../secrets', 'a fragment'],
    ['file:///srv/sec\trets', 'a tab, which parsers of URLs drop'],
    ['https://example.com/srv/secrets', 'a URL of another scheme'],
    [' /srv/secrets', 'a leading space'],
    ['/srv/secrets ', 'a space at the end, which some servers cut off'],
    ['"/srv/secrets"', 'quotes'],
    ["/srv/public/..'", 'a quote at the end, which some servers cut off'],
    ['/srv/\ud800', 'half a surrogate pair'],
    [7, 'a number'],
    [null, 'null'],
    [{ path: '/srv' }, 'an object'],
    [[], 'an empty list'],
    [['/srv/secrets/a', 'b'], 'a list with a relative path'],
    [['/srv/secrets/a', 7], 'a list with a number'],
    [[['/srv/secrets/a']], 'a list in a list'],
    [['/srv/secrets/a', '/srv/public/b'], 'a list that is half inside'],
  ])('%j is an error: %s', (path) => {
    for (const effect of ['allow', 'deny', 'require_approval'] as const) {
      expect(decide('under', '/srv/secrets', path, effect)).toBe('error')
      expect(decide('not_under', '/srv/secrets', path, effect)).toBe('error')
    }
  })

  test('a list is under the base if all its paths are, and not under it if no path is', () => {
    expect(decide('under', '/a', ['/a/b', '/a/c', '/a'])).toBe(true)
    expect(decide('not_under', '/a', ['/a/b', '/a/c'])).toBe(false)
    expect(decide('under', '/a', ['/b', '/c'])).toBe(false)
    expect(decide('not_under', '/a', ['/b', '/c'])).toBe(true)
  })

  test.each<[Operator, Effect, boolean]>([
    ['under', 'deny', true],
    ['under', 'require_approval', true],
    ['under', 'allow', false],
    ['not_under', 'deny', true],
    ['not_under', 'require_approval', true],
    ['not_under', 'allow', false],
  ])('%s in a rule with effect %s is %s for another letter case and another Unicode form', (op, effect, expected) => {
    expect(decide(op, '/srv/Café', '/SRV/café/x', effect)).toBe(expected)
    expect(decide(op, '/srv/Cafe\u0301', '/srv/caf\u00c9/x', effect)).toBe(expected)
    expect(decide(op, '/straße', '/STRASSE/x', effect)).toBe(expected)
  })

  test('ignores the case of every letter', () => {
    const strays: string[] = []
    for (let code = 1; code <= 0x1ffff; code++) {
      const letter = String.fromCodePoint(code)
      if (!letter.isWellFormed() || /[\s\\/.]/.test(letter)) continue
      for (const other of [
        letter.toLowerCase(),
        letter.toUpperCase(),
        letter.normalize('NFC'),
        letter.normalize('NFD'),
      ]) {
        if (other === letter || /\s/.test(other)) continue
        if (decide('under', `/a${letter}b`, `/a${other}b/c`) !== true) strays.push(letter)
      }
    }
    expect(strays).toEqual([])
  })
})

describe('the value of a rule', () => {
  test.each(['/', '/srv', '/srv//x/./', 'file:///srv', 'file:/srv', 'file://localhost/srv%20x'])(
    'accepts %s',
    (value) => {
      expect(valueFault('under', value)).toBeNull()
      expect(valueFault('not_under', value)).toBeNull()
    },
  )

  test.each<[unknown]>([
    ['srv'],
    ['./srv'],
    ['~/srv'],
    [''],
    ['/srv/../etc'],
    ['/srv/..'],
    ['file:///srv/%2e%2e/etc'],
    ['file://host/srv'],
    ['file:///srv/%zz'],
    ['C:/srv'],
    ['/srv\\x'],
    ['/srv\0'],
    [['/srv']],
    [7],
    [true],
  ])('rejects %j', (value) => {
    expect(valueFault('under', value)).toBe('must be an absolute path or a file: URL, without ".."')
    expect(valueFault('not_under', value)).toBe('must be an absolute path or a file: URL, without ".."')
  })

  test('a stored rule with a malformed path closes', () => {
    expect(decide('under', 'srv/secrets', '/srv/public')).toBe('error')
  })
})

const name = fc.constantFrom('a', 'b', 'secrets', 'x.txt', 'é', '...', '%41', 'a b')
const names = fc.array(name, { maxLength: 4 })
const detour = fc.constantFrom('/', '//', '/./', '/../', '/x/../', '/./x/.././', '///x/y/../../')

/** Writes the path in another spelling. Adds a detour, such as `/./`, before each name that does not change the path. */
function spell(path: readonly string[], detours: readonly string[]): string {
  return path
    .map((one, index) => {
      const way = detours[index % detours.length] as string
      // `..` does not change the path only at the root.
      return `${index > 0 && way === '/../' ? '/' : way}${one}`
    })
    .join('')
}

test('every spelling of a path under the base is under it, as a path and as a URL', () => {
  fc.assert(
    fc.property(names, names, fc.array(detour, { minLength: 1, maxLength: 5 }), (base, rest, detours) => {
      const path = spell([...base, ...rest], detours) || '/'
      const value = `/${base.join('/')}`
      for (const effect of ['allow', 'deny'] as const) {
        expect(decide('under', value, path, effect)).toBe(true)
        const url = `file://${path.split('/').map(encodeURIComponent).join('/')}`
        expect(decide('under', value, url, effect)).toBe(true)
        expect(decide('not_under', value, path, effect)).toBe(false)
      }
    }),
    { numRuns: 1000 },
  )
})

test('no spelling of a path outside the base is under it, with any dots', () => {
  const part = fc.oneof(name, fc.constantFrom('.', '..', ''))
  fc.assert(
    fc.property(names, fc.array(part, { maxLength: 8 }), (base, parts) => {
      const resolved: string[] = []
      for (const one of parts) {
        if (one === '..') resolved.pop()
        else if (one !== '.' && one !== '') resolved.push(one)
      }
      const inside = base.every((one, index) => resolved[index] === one)
      expect(decide('under', `/${base.join('/')}`, `/${parts.join('/')}`, 'allow')).toBe(inside)
    }),
    { numRuns: 1000 },
  )
})

test('under and not_under are errors for the same paths, and opposite for all other paths', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string().map((one) => `/${one}`),
    fc.webUrl(),
    fc.anything(),
  )
  fc.assert(
    fc.property(text, fc.constantFrom('/', '/a', '/a/b'), (path, base) => {
      const [under, notUnder] = [decide('under', base, path, 'deny'), decide('not_under', base, path, 'allow')]
      expect(notUnder).toBe(under === 'error' ? 'error' : !under)
    }),
    { numRuns: 1000 },
  )
})
