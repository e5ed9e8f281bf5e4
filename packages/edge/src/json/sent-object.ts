import { z } from 'zod'
import type { JsonObject } from '../guard/guard.ts'

/** A JSON object just as it was sent: a schema of its fields would leave out one that is called `__proto__`. */
export const sentObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'must be an object' },
)
