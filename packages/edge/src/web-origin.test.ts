import { expect, it } from 'vitest'
import { originFault, originsWanted } from './web-origin.ts'

it.each([
  ['https://Console.example.com', 'https://console.example.com'],
  ['HTTPS://console.example.com', 'https://console.example.com'],
  ['https://console.example.com:443', 'https://console.example.com'],
  ['http://localhost:80/', 'http://localhost'],
  ['https://console.example.com/', 'https://console.example.com'],
  ['https://user:secret@console.example.com:8443/sign-in?a#b', 'https://console.example.com:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['wss://console.example.com', 'https://console.example.com'],
  ['ws://localhost:3000/socket', 'http://localhost:3000'],
  ['chrome-extension://ABCdef', 'chrome-extension://abcdef'],
  ['moz-extension://0B8A/page.html', 'moz-extension://0b8a'],
  ['Tauri://localhost/', 'tauri://localhost'],
  ['file:///', 'file://'],
])('rejects %s, and shows the origin that a browser sends: %s', (text, sent) => {
  expect(originFault(text)).toBe(`${originsWanted}; did you mean ${sent}?`)
  expect(originFault(sent)).toBeUndefined()
})

it.each(['*', 'https://*.example.com', 'http://localhost:*', 'chrome-extension://*'])(
  'rejects the wildcard %s',
  (text) => {
    expect(originFault(text)).toBe(`${originsWanted}; wildcards match no origin, so list each origin`)
  },
)

it.each(['', 'null', 'localhost', 'ftp://example.com', 'javascript://alert', 'blob:https://a.example/1'])(
  'rejects %j, for which no origin is sent',
  (text) => expect(originFault(text)).toBe(originsWanted),
)
