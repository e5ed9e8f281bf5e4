import { expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { firstSteps } from './first-steps.ts'

it('names PUBLIC_URL for browsers, and the address of the server for programs on this machine', () => {
  const config = readConfig({ PUBLIC_URL: 'https://host.example/mandate' })
  const text = firstSteps(config, { url: 'http://127.0.0.1:8123' })
  expect(text).toContain('open https://host.example/mandate in a browser')
  expect(text).toContain('API reference at https://host.example/mandate/docs')
  expect(text).toContain('curl -s http://127.0.0.1:8123/api/v1/auth/register')
  expect(text).toContain('npm run tour -- http://127.0.0.1:8123\n')
})
