import { contentEndpoints as endpoints } from '@mandate/contract/content'
import { on, Reply } from '../../http/routes/route.ts'
import { throwIfRefused } from '../../refusal.ts'
import { createPattern, deletePattern, refuseBadChange, updatePattern } from './change-pattern.ts'
import { getContentKey } from './get-content-key.ts'
import { listPatterns } from './list-patterns.ts'
import { patternChangeRefusal } from './rules.ts'
import { testPatterns } from './test-patterns.ts'

export const contentRoutes = [
  on(endpoints.listContentPatterns, (ctx, { query }) => listPatterns(ctx, query.include)),
  on(endpoints.createContentPattern, (ctx, { body }) => createPattern(ctx, body), {
    beforeBadBody: async (ctx) => throwIfRefused(patternChangeRefusal(ctx.actor)),
  }),
  on(endpoints.updateContentPattern, (ctx, { params, body }) => updatePattern(ctx, params.pattern_id, body), {
    beforeBadBody: (ctx, params) => refuseBadChange(ctx, params.pattern_id),
  }),
  on(endpoints.deleteContentPattern, (ctx, { params }) => deletePattern(ctx, params.pattern_id)),
  on(endpoints.testContentPatterns, (ctx, { body }) => testPatterns(ctx, body)),
  on(endpoints.getContentKey, async (ctx) => {
    return new Reply(await getContentKey(ctx), { headers: { 'cache-control': 'no-store' } })
  }),
]
