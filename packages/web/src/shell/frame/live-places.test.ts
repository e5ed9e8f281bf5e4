import { dashboardPaths } from '@mandate/contract/words/dashboard-paths'
import { expect, it } from 'vitest'
import { isLivePlace } from './live-places.ts'

it('names the pages that show what others change, and no other page', () => {
  expect(dashboardPaths.filter(isLivePlace)).toEqual([
    '/',
    '/agents',
    '/agents/{id}',
    '/policies',
    '/policies/{id}',
    '/approvals',
    '/reviews',
    '/reviews/{id}',
    '/findings',
    '/decisions',
    '/decisions/{id}',
    '/freezes',
    '/freezes/{id}',
    '/edges',
    '/edges/{id}',
    '/audit',
  ])
})
