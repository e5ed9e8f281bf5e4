import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type LineMask, relayStderr } from '../../../src/mcp/stdio/relay-stderr.ts'
import { spawnServer } from '../../../src/mcp/stdio/spawn-server.ts'

/** Runs a program as a tool server. @returns its lines in the edge's standard error */
async function linesOf(program: string, mask?: LineMask): Promise<string[]> {
  const stderr = new PassThrough()
  const parts: Buffer[] = []
  stderr.on('data', (part) => parts.push(part))
  const command = { command: process.execPath, args: ['-e', program], env: {} }
  const server = spawnServer(command, 'files', stderr, mask)
  server.stdout.resume()
  await server.exited
  stderr.end()
  await once(stderr, 'end')
  const text = Buffer.concat(parts).toString('utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text.slice(0, -1).split('\n')
}

describe('the standard error of a started server', () => {
  it('is written line by line with the name of the server, also the last line without a line break', async () => {
    const lines = await linesOf(`process.stderr.write('one\\r\\ntwo\\n{"level":50}')`)
    expect(lines).toEqual(['[files] one', '[files] two', '[files] {"level":50}'])
  })

  it('joins a line that arrives in parts, and a character that is split between them', async () => {
    const program = `
      process.stderr.write(Buffer.from([0x61, 0xc3]))
      setTimeout(() => process.stderr.write(Buffer.from([0xbc, 0x0a])), 200)`
    expect(await linesOf(program)).toEqual(['[files] aü'])
  })

  it('has its control characters escaped, except tabs', async () => {
    const lines = await linesOf(
      String.raw`process.stderr.write('\x1b]0;title\x07\x1b[2J\ta\rb\x9b1m \u202egpj.exe \u2028[other] x\n')`,
    )
    expect(lines).toEqual([
      String.raw`[files] \u{1b}]0;title\u{7}\u{1b}[2J${'\t'}a\u{d}b\u{9b}1m \u{202e}gpj.exe \u{2028}[other] x`,
    ])
  })

  it('has what content rules match replaced, and loses lines that take them too long in a second', async () => {
    const lines = await linesOf(`process.stderr.write('key 1\\nkey 2\\n')`, (line) => line.replace('key', '[redacted]'))
    expect(lines).toEqual(['[files] [redacted] 1', '[files] [redacted] 2'])
    const busy = (line: string) => {
      for (const untilMs = performance.now() + 60; performance.now() < untilMs; );
      return line
    }
    const kept = await linesOf(`process.stderr.write('line\\n'.repeat(1000))`, busy)
    expect(kept.some((line) => line.includes('lines dropped'))).toBe(true)
    expect(kept.length).toBeLessThan(1000)
  })

  it('has long lines cut', async () => {
    const lines = await linesOf(`process.stderr.write('a'.repeat(3 << 20) + '\\nb\\n')`)
    expect(lines).toEqual([`[files] ${'a'.repeat(4096)} [${(3 << 20) - 4096} bytes cut]`, '[files] b'])
  })

  describe('with content rules that hide private keys', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const hiding: LineMask = (line) => line.replace(/-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=]{32,}/, '[redacted]')

    /** Relays a text in chunks of 7 bytes. */
    function relay(text: string, mask = hiding): string {
      const [from, to] = [new PassThrough(), new PassThrough()]
      relayStderr(from, to, 's', { mask })
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; at += 7) from.emit('data', bytes.subarray(at, at + 7))
      from.emit('close')
      return to.read().toString()
    }

    it.each([
      ['as it is', pem],
      ['in a longer text', `{"key": "${pem}"}`],
      ['in quotes', pem.replaceAll(/^.*$/gm, String.raw`  '$&\n' +`)],
      ['with headers', pem.replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n')],
      ['with line breaks of Windows', pem.replaceAll('\n', '\r\n')],
      ['at the end of a line that is cut', `${'x '.repeat(3000)}${pem}`],
    ])('no line of a key is written: %s', (_what, text) => {
      const lines = relay(`before\n${text}\nready to serve\n`).split('\n')
      const body = pem.split('\n').slice(1, -2)
      expect(body.filter((line) => lines.some((shown) => shown.includes(line)))).toEqual([])
      expect(lines).toContain('[s] before')
      expect(lines).toContain('[s] ready to serve')
      expect(lines.filter((line) => line.includes('[hidden'))).toEqual(['[s] [hidden: lines of a private key]'])
    })

    it('ordinary lines after a line that only mentions a key are written', () => {
      const lines = [
        'ERROR: no -----BEGIN PRIVATE KEY----- here',
        'INFO: Started server process',
        'WARNING: disk is full',
      ]
      expect(relay(`${lines.join('\n')}\n`)).toContain('[s] INFO: Started server process\n[s] WARNING: disk is full')
    })

    it('long lines of spaces after the beginning of a key are read in linear time', () => {
      const spaces = `-----BEGIN PRIVATE KEY-----\n${' '.repeat(4_000)}!\n`
      expect(relay(spaces.repeat(300))).toContain('BEGIN PRIVATE KEY')
    })

    it('a key that does not end hides 500 lines at most, and a key without rules is written', () => {
      const endless = `-----BEGIN PRIVATE KEY-----\n${'abcd\n'.repeat(600)}`
      expect(relay(endless).split('abcd').length - 1).toBe(100)
      expect(relay(pem, (line) => line)).toContain(pem.split('\n')[1])
    })
  })

  it('loses the lines over 64 KiB in a second, which are counted', async () => {
    const started = performance.now()
    const lines = await linesOf(`process.stderr.write('line\\n'.repeat(1_000_000))`)
    const seconds = Math.ceil((performance.now() - started) / 1000)
    const notes = lines.filter((line) => line.includes('lines dropped'))
    expect(lines.join('\n').length).toBeLessThan(seconds * (66 << 10))
    const dropped = notes.map((note) =>
      Number(/^\[files\] \[(\d+) lines dropped: too much on standard error\]$/.exec(note)?.[1]),
    )
    expect(dropped.reduce((sum, lines) => sum + lines, lines.length - notes.length)).toBe(1_000_000)
  })

  it('is written again in the next second', async () => {
    const lines = await linesOf(`
      process.stderr.write('line\\n'.repeat(100_000))
      setTimeout(() => process.stderr.write('later\\n'), 2500)`)
    expect(lines.at(-1)).toBe('[files] later')
    expect(lines.at(-2)).toContain('lines dropped')
  })
})
