import { endpoints } from '@mandate/contract/endpoints'
import { expect, it } from 'vitest'
import { newCredential } from '../../security/credentials.ts'
import { pathsToLog } from './logged-path.ts'

const pathToLog = pathsToLog(Object.values(endpoints).map((endpoint) => ({ endpoint })))
const pattern = '/api/v1/shared/reports/{token}'
const token = 'Zr8fQwX1kT5uYc2vLmN0pBs7dEaHgJi3oR6tWx9yU4z'
const id = '0199c2d4-7f00-7abc-8def-0123456789ab'

it.each([
  ['/api/v1/shared/reports/secret', '/api/v1/shared/reports/:token'],
  ['/api/v1/%73hared/reports/secret', '/api/v1/shared/reports/:token'],
  ['/api/v1/shared/reports/secret/', undefined],
  ['/api/v1/shared/reports/secret/more', undefined],
])('a path with a token is logged as its pattern: %s', (path, matched) => {
  expect(pathToLog(path, matched)).toBe(pattern)
})

it.each([
  ['/api/v1/agents/7', '/api/v1/agents/:agent_id'],
  [`/api/v1/agents/${id}`, '/api/v1/agents/:agent_id'],
  [`/api/v1/agentz/${id}/identity`, undefined],
  ['/nowhere', undefined],
])('any other path is logged unchanged: %s', (path, matched) => {
  expect(pathToLog(path, matched)).toBe(path)
})

it.each([
  `/api/v1/shared/report/${token}`,
  `/api/v1/Shared/reports/${token}`,
  `/api/v1//shared/reports/${token}`,
  `/shared/reports/${token}`,
  `/api/v1/agents/${token}`,
  `/${token}/api/v1/agents`,
  `/api/v1/shared;reports;${token}`,
  `/api/v1/shared%2Freports%2F${token}`,
])('a token in a misspelled path is shortened: %s', (path) => {
  for (const matched of [undefined, '/api/v1/agents/:agent_id']) {
    const logged = pathToLog(path, matched)
    for (let at = 0; at + 8 <= token.length; at++) expect(logged).not.toContain(token.slice(at, at + 8))
  }
})

it.each(['mk', 'ak', 'ek'] as const)('a key (%s) in a path is shortened, escaped or not', (kind) => {
  const key = newCredential(kind)
  const escaped = `%${kind.charCodeAt(0).toString(16)}${key.slice(1)}`
  for (const path of [
    `/api/v1/agents/${key}`,
    `/api/v1/agents/${escaped}`,
    `/${key}`,
    `/api/v1/x/${key.slice(0, 12)}`,
  ]) {
    expect(pathToLog(path, '/api/v1/agents/:agent_id')).not.toContain(key.slice(4, 12))
  }
})
