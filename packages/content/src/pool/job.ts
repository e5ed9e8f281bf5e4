import type { ContentRules, ContentSide, PatternDefinition, Span } from '../definition.ts'
import type { JsonValue } from '../inspect/embedded-text.ts'
import type { Inspection } from '../inspect/inspect.ts'
import type { NumberSource } from '../inspect/number-texts.ts'

/** Inspects a value by one side of content rules. */
export interface InspectJob {
  readonly kind: 'inspect'
  readonly rules: ContentRules
  readonly side: ContentSide
  readonly value: JsonValue
  readonly unchangeable: readonly JsonValue[]
  readonly masks: boolean
  readonly numbers: NumberSource | undefined
}

/** Finds where patterns match in a text. At most `most` places. */
export interface FindJob {
  readonly kind: 'find'
  readonly patterns: readonly PatternDefinition[]
  readonly text: string
  readonly most: number
}

export type Job = InspectJob | FindJob

export interface Place extends Span {
  readonly pattern_id: string
}

export type InspectAnswer = Inspection
export type FindAnswer = readonly Place[]

/**
 * What the worker sends. `started` comes when the patterns are compiled, so that the time limits count the search only. `cpu` is the processor time
 * that the thread had taken before the search.
 */
export type WorkerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'started'; readonly cpu: NodeJS.CpuUsage }
  | { readonly type: 'done'; readonly answer: InspectAnswer | FindAnswer }
  | { readonly type: 'failed'; readonly reason: string }
