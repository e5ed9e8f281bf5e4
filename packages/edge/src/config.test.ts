import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { removeHome } from '../test/state/no-home.ts'
import { inheritedEnvironment, readEdgeConfig } from './config.ts'
import { EdgeConfigError, readHookConfig } from './hook-config.ts'

const agent = '0190a3c5-7e00-7000-8000-000000000001'
const other = '0190a3c5-7e00-7000-8000-000000000002'
const good = {
  MANDATE_URL: 'https://mandate.example.com/',
  MANDATE_EDGE_KEY: `ek_${'0'.repeat(64)}`,
  MANDATE_EDGE_AGENTS: agent,
}
const faultsOf = (change: Record<string, string>) => {
  try {
    readEdgeConfig({}, { ...good, ...change })
  } catch (error) {
    expect(error).toBeInstanceOf(EdgeConfigError)
    return (error as Error).message.split('\n').slice(1)
  }
  return []
}

describe('the settings of an edge', () => {
  it('have defaults except for the control plane, the key and the agents', () => {
    expect(readEdgeConfig({}, { ...good, MANDATE_EDGE_STATE: '/var/edge' })).toEqual({
      controlPlane: 'https://mandate.example.com/api/v1',
      key: good.MANDATE_EDGE_KEY,
      agentIds: [agent],
      stateDir: '/var/edge',
      host: '127.0.0.1',
      port: 8089,
      hostNames: [],
      localToken: undefined,
      maxOpen: 256,
      missedBeats: 5,
      keptWhenAway: new Set(),
      signingKeySha256: undefined,
      showArguments: true,
      stream: true,
      spoolBytes: 256 * 1_048_576,
      fsync: 'second',
      mcpServers: undefined,
      demoServer: false,
      mcpPort: 8090,
      allowedHosts: [],
      allowedOrigins: [],
      privateTokenUrls: false,
      sessions: 'agent',
      logLevel: 'info',
    })
  })

  it('take the command line before the environment', () => {
    expect(
      readEdgeConfig({ MANDATE_EDGE_PORT: '1', MANDATE_URL: undefined }, { ...good, MANDATE_EDGE_PORT: '2' }).port,
    ).toBe(1)
  })

  const everyOne = {
    ...good,
    MANDATE_EDGE_STATE: '/var/edge',
    MANDATE_EDGE_HOST: '0.0.0.0',
    MANDATE_EDGE_PORT: '1',
    MANDATE_EDGE_HOST_NAMES: 'edge.example.com',
    MANDATE_EDGE_TOKEN: 't'.repeat(32),
    MANDATE_EDGE_MAX_OPEN: '2',
    MANDATE_EDGE_STREAM: 'off',
    MANDATE_EDGE_MISSED_BEATS: '3',
    MANDATE_EDGE_KEEP_WHEN_AWAY: 'all',
    MANDATE_EDGE_SIGNING_KEY_SHA256: 'a'.repeat(64),
    MANDATE_EDGE_SHOW_ARGUMENTS: 'off',
    MANDATE_EDGE_SPOOL_MB: '4',
    MANDATE_EDGE_FSYNC: 'each',
    MANDATE_EDGE_ALLOW_HTTP: 'on',
    MANDATE_EDGE_MCP: 'servers.json',
    MANDATE_EDGE_MCP_PORT: '5',
    MANDATE_EDGE_ALLOWED_HOSTS: 'a.example',
    MANDATE_EDGE_ALLOWED_ORIGINS: 'https://a.example',
    MANDATE_EDGE_KEEP_ALIVE_SECONDS: '6',
    MANDATE_EDGE_DRAIN_SECONDS: '7',
    MANDATE_EDGE_MAX_REQUEST_MB: '8',
    MANDATE_EDGE_SESSIONS: 'caller',
    MANDATE_EDGE_PRIVATE_TOKEN_URLS: 'on',
    MANDATE_EDGE_LISTEN: 'http://127.0.0.1:9',
    LOG_LEVEL: 'warn',
  }

  it('have no white space around them', () => {
    const space = fc.constantFrom('', ' ', '\t', '\r', '\n', '\r\n', ' \r')
    const padded = fc.record(
      Object.fromEntries(
        Object.entries(everyOne).map(([name, value]) => [
          name,
          fc.tuple(space, space).map(([before, after]) => before + value + after),
        ]),
      ),
    )
    fc.assert(
      fc.property(padded, (env) => {
        expect(readEdgeConfig({}, env)).toEqual(readEdgeConfig({}, everyOne))
        expect(readHookConfig({}, env)).toEqual(readHookConfig({}, everyOne))
      }),
    )
    expect(faultsOf({ MANDATE_EDGE_KEY: ' \r' })[0]).toMatch(/MANDATE_EDGE_KEY: must be set/)
  })

  it('take each agent once, in lower case', () => {
    const given = { ...good, MANDATE_EDGE_AGENTS: ` ${agent.toUpperCase()}, ${other},${agent}` }
    expect(readEdgeConfig({}, given).agentIds).toEqual([agent, other])
  })

  it('need no agent ids with an agent key', () => {
    const given = { ...good, MANDATE_EDGE_KEY: `ak_${'0'.repeat(64)}`, MANDATE_EDGE_AGENTS: '' }
    expect(readEdgeConfig({}, given).agentIds).toEqual([])
  })

  test.each<[Record<string, string>, RegExp]>([
    [{ MANDATE_URL: '' }, /MANDATE_URL: must be set/],
    [{ MANDATE_URL: 'ftp://x' }, /MANDATE_URL: must be a URL/],
    [{ MANDATE_URL: 'http://mandate.example.com' }, /MANDATE_URL: must begin with https/],
    [{ MANDATE_URL: 'https://u:p@mandate.example.com' }, /MANDATE_URL: must hold no credentials/],
    [{ MANDATE_EDGE_KEY: '' }, /MANDATE_EDGE_KEY: must be set/],
    [{ MANDATE_EDGE_KEY: `mk_${'0'.repeat(64)}` }, /MANDATE_EDGE_KEY: must be ak_ or ek_/],
    [{ MANDATE_EDGE_KEY_FILE: '/nonexistent' }, /MANDATE_EDGE_KEY_FILE: \/nonexistent: it does not exist/],
    [{ MANDATE_EDGE_KEY_FILE: '/' }, /MANDATE_EDGE_KEY_FILE: \/: it is a folder/],
    [{ MANDATE_EDGE_AGENTS: '' }, /MANDATE_EDGE_AGENTS: must be set/],
    [{ MANDATE_EDGE_AGENTS: 'me' }, /MANDATE_EDGE_AGENTS: must be agent ids/],
    [{ MANDATE_EDGE_KEY: `ak_${'0'.repeat(64)}`, MANDATE_EDGE_AGENTS: `${agent},${other}` }, /must be one agent/],
    [{ MANDATE_EDGE_TOKEN: 'short' }, /MANDATE_EDGE_TOKEN: must be at least 32/],
    [
      { MANDATE_EDGE_TOKEN: 'x'.repeat(32), MANDATE_EDGE_AGENTS: `${agent},${other}` },
      /MANDATE_EDGE_TOKEN: must be left out/,
    ],
    [{ MANDATE_EDGE_PORT: '99999' }, /MANDATE_EDGE_PORT: must be a whole number from 0 to 65535/],
    [
      { MANDATE_EDGE_PORT: '8090', MANDATE_EDGE_MCP: 'servers.json' },
      /MANDATE_EDGE_PORT: must not be MANDATE_EDGE_MCP_PORT/,
    ],
    [
      { MANDATE_EDGE_DEMO_SERVER: 'on', MANDATE_EDGE_MCP: 'servers.json' },
      /MANDATE_EDGE_DEMO_SERVER: must be off with MANDATE_EDGE_MCP/,
    ],
    [
      { MANDATE_EDGE_DEMO_SERVER: 'on', MANDATE_EDGE_PORT: '8091', MANDATE_EDGE_MCP_PORT: '8091' },
      /MANDATE_EDGE_PORT: must not be MANDATE_EDGE_MCP_PORT/,
    ],
    [{ MANDATE_EDGE_DEMO_SERVER: 'yes' }, /MANDATE_EDGE_DEMO_SERVER: must be on or off/],
    [{ MANDATE_EDGE_MAX_OPEN: '0' }, /MANDATE_EDGE_MAX_OPEN: must be/],
    [{ MANDATE_EDGE_MISSED_BEATS: '0' }, /MANDATE_EDGE_MISSED_BEATS: must be/],
    [{ MANDATE_EDGE_KEEP_WHEN_AWAY: 'some' }, /MANDATE_EDGE_KEEP_WHEN_AWAY: must be "all" or policy ids/],
    [{ MANDATE_EDGE_SIGNING_KEY_SHA256: 'ab' }, /MANDATE_EDGE_SIGNING_KEY_SHA256: must be 64/],
    [{ MANDATE_EDGE_FSYNC: 'never' }, /MANDATE_EDGE_FSYNC: must be each or second/],
    [{ MANDATE_EDGE_HOST_NAMES: 'a b' }, /MANDATE_EDGE_HOST_NAMES: must be host names/],
    [{ MANDATE_EDGE_STREAM: 'no' }, /MANDATE_EDGE_STREAM: must be on or off/],
    [{ MANDATE_EDGE_SHOW_ARGUMENTS: 'yes' }, /MANDATE_EDGE_SHOW_ARGUMENTS: must be on or off/],
  ])('rejects %j with one line', (change, expected) => {
    const faults = faultsOf(change)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(expected)
  })

  it('take a free port for the demonstration server, and 8090 for other servers', () => {
    expect(readEdgeConfig({}, good)).toMatchObject({ demoServer: false, mcpPort: 8090 })
    const demo = { ...good, MANDATE_EDGE_DEMO_SERVER: 'on' }
    expect(readEdgeConfig({}, demo)).toMatchObject({ demoServer: true, mcpPort: 0, mcpServers: undefined })
    expect(readEdgeConfig({ MANDATE_EDGE_MCP_PORT: '8091' }, demo).mcpPort).toBe(8091)
  })

  it('allow plain HTTP to this machine, and to others only with MANDATE_EDGE_ALLOW_HTTP', () => {
    for (const url of ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1']) {
      expect(faultsOf({ MANDATE_URL: url })).toEqual([])
    }
    expect(faultsOf({ MANDATE_URL: 'http://mandate:8080', MANDATE_EDGE_ALLOW_HTTP: 'on' })).toEqual([])
  })
})

describe('origins whose pages may call', () => {
  const originsOf = (text: string) => readEdgeConfig({}, { ...good, MANDATE_EDGE_ALLOWED_ORIGINS: text }).allowedOrigins

  it.each([
    'https://console.example.com',
    'http://tauri.localhost:1420',
    'chrome-extension://cjpalhdlnbpafiamejdnhcphjbkeiagm',
    'moz-extension://0b8a7f52-4d0c-4b8e-9a43-5c6f3e0f2d1a',
    'safari-web-extension://1A2B-3C',
    'vscode-webview://1q2w3e',
    'tauri://localhost',
    'app://obsidian.md',
    'file://',
  ])('take %s as browsers and desktop shells send it', (origin) => {
    expect(originsOf(`${origin}, https://a.example`)).toEqual([origin, 'https://a.example'])
  })

  it.each([
    'null',
    '*',
    'chrome-extension://*',
    'chrome-extension://',
    'chrome-extension://id/page.html',
    'https://console.example.com/',
    'https://Console.example.com',
    'tauri://user@localhost',
    'javascript://alert',
    'data:text/html',
    'about:blank',
    'file:///home',
    'localhost',
  ])('reject %s', (origin) => {
    const faults = faultsOf({ MANDATE_EDGE_ALLOWED_ORIGINS: origin })
    expect(faults).toEqual([expect.stringContaining('MANDATE_EDGE_ALLOWED_ORIGINS: must be origins such as')])
  })
})

test('a key file that cannot be read is one error, and hides no error of another setting', () => {
  const { MANDATE_EDGE_KEY: _, MANDATE_EDGE_AGENTS: __, ...rest } = good
  for (const key of [undefined, '', good.MANDATE_EDGE_KEY, 'x']) {
    const given = { ...rest, MANDATE_EDGE_KEY: key, MANDATE_EDGE_KEY_FILE: '/nonexistent' }
    expect(() => readEdgeConfig(given, {})).toThrow(/^[^\n]*\n[^\n]*MANDATE_EDGE_KEY_FILE: [^\n]*$/)
    const more = { ...given, MANDATE_URL: 'localhost:8080', MANDATE_EDGE_PORT: '80890' }
    expect(() => readEdgeConfig(more, {})).toThrow(
      /KEY_FILE: .*\n.*MANDATE_URL: .* did you mean http:\/\/localhost:8080\?\n.*MANDATE_EDGE_PORT: [^\n]*$/,
    )
  }
})

test.each(['', `mk_${'0'.repeat(64)}`, 'x', 'MANDATE_EDGE_KEY=ak_'])('the key %j is the only error', (key) => {
  const { MANDATE_EDGE_AGENTS: _, ...rest } = good
  const reading = () => readEdgeConfig({ ...rest, MANDATE_EDGE_KEY: key }, {})
  expect(reading).toThrow(/^[^\n]*\n[^\n]*MANDATE_EDGE_KEY: must be [^\n]*$/)
})

test('a tool server inherits no settings of the edge', () => {
  expect(inheritedEnvironment({ ...good, PATH: '/bin', MANDATE_EDGE_KEY_FILE: 'f' })).toEqual({ PATH: '/bin' })
})

test('a hook uses the token of the only agent in the state folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-hook-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'tokens'))
  const settings = { MANDATE_EDGE_STATE: folder }
  expect(() => readHookConfig(settings, {})).toThrow(/MANDATE_EDGE_AGENTS/)
  await writeFile(join(folder, 'tokens', agent), 'its token')
  await writeFile(join(folder, 'tokens', '.DS_Store'), 'of a file manager')
  expect(readHookConfig(settings, {})).toMatchObject({ token: 'its token' })
  const missing = { ...settings, MANDATE_EDGE_AGENTS: other }
  expect(() => readHookConfig(missing, {})).toThrow(/MANDATE_EDGE_STATE: .*: it does not exist; name the state folder/)
  await writeFile(join(folder, 'tokens', other), 'another')
  expect(() => readHookConfig(settings, {})).toThrow(/MANDATE_EDGE_AGENTS/)
})

test('a hook uses the configured token, or names the missing setting', () => {
  expect(readHookConfig({}, { MANDATE_EDGE_TOKEN: 't' })).toEqual({ url: 'http://127.0.0.1:8089', token: 't' })
  expect(() => readHookConfig({ MANDATE_EDGE_STATE: '/nonexistent' }, {})).toThrow(/MANDATE_EDGE_AGENTS/)
  expect(() => readHookConfig({ MANDATE_EDGE_LISTEN: 'x' }, { MANDATE_EDGE_TOKEN: 't' })).toThrow(/MANDATE_EDGE_LISTEN/)
  expect(() => readHookConfig({ MANDATE_EDGE_STATE: '/nonexistent' }, { MANDATE_EDGE_AGENTS: agent })).toThrow(/token/)
})

test('a user without a home folder needs no state folder for a hook with a token, and is told to set one otherwise', () => {
  removeHome()
  expect(readHookConfig({}, { MANDATE_EDGE_TOKEN: 't' })).toMatchObject({ token: 't' })
  const wanted = 'MANDATE_EDGE_STATE: this user has no home folder; set HOME or MANDATE_EDGE_STATE'
  for (const read of [() => readHookConfig({}, {}), () => readEdgeConfig({}, good)]) {
    expect(read).toThrow(EdgeConfigError)
    expect(read).toThrow(wanted)
  }
  expect(readEdgeConfig({}, { ...good, HOME: '/home/agent' }).stateDir).toBe('/home/agent/.mandate/edge')
})
