import { afterAll, expect } from 'vitest'
import type { TestServer } from './start-test-server.ts'

/**
 * After the tests of a file, checks that each finding, review and approval has the environment of its agent. `written` lists the
 * tables that the tests must have written, in an environment, through the API. Lists for bound keys read only this column.
 */
export function checkRecordEnvironments(
  server: TestServer,
  written: readonly ('findings' | 'reviews' | 'approvals')[],
): void {
  afterAll(async () => {
    for (const table of written) {
      const { rows } = await server.owner.query(
        `select r.id, r.environment_id, a.environment_id as of_agent
         from ${table} r join agents a on a.tenant_id = r.tenant_id and a.id = r.agent_id
         where r.environment_id is not null or a.environment_id is not null`,
      )
      expect(rows.length, `${table} in an environment`).toBeGreaterThan(0)
      expect(rows.filter((row) => row.environment_id !== row.of_agent)).toEqual([])
    }
  })
}
