import { endpoints } from '@mandate/contract/endpoints'
import { expect, it } from 'vitest'
import { pathsToLog } from './logged-path.ts'

const pathToLog = pathsToLog(Object.values(endpoints).map((endpoint) => ({ endpoint })))
const pattern = '/api/v1/shared/reports/{token}'

it.each([
  ['/api/v1/shared/reports/secret', '/api/v1/shared/reports/:token'],
  ['/api/v1/%73hared/reports/secret', '/api/v1/shared/reports/:token'],
  ['/api/v1/shared/reports/secret/', undefined],
  ['/api/v1/shared/reports/secret/more', undefined],
])('a path with a token in it is logged by its pattern: %s', (path, matched) => {
  expect(pathToLog(path, matched)).toBe(pattern)
})

it.each([
  ['/api/v1/agents/7', '/api/v1/agents/:agent_id'],
  ['/nowhere', undefined],
])('any other path is logged as it is: %s', (path, matched) => {
  expect(pathToLog(path, matched)).toBe(path)
})
