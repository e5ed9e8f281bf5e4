import { z } from 'zod'
import { mostUses, mostWindowS } from '../words/policy-words.ts'

const bounded = (most: number) => z.int().min(1).max(most)

export const RuleLimit = z
  .object({
    count: bounded(mostUses).describe(
      'Number of calls that the rule allows an agent within the window, 1 to 1,000,000.',
    ),
    window_s: bounded(mostWindowS).describe('Length of the window in seconds, 1 to 86,400. The window slides.'),
  })
  .meta({
    id: 'RuleLimit',
    description:
      'How often an agent may use an `allow` rule. A rule that the agent used `count` times within the last `window_s` seconds does not match. The edges of one state folder count together.',
  })
