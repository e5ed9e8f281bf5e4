import type { Ctx } from '../../../caller/ctx.ts'

const intervals = 3

/** Returns the time before which a heartbeat is late: an agent is late when no heartbeat named it for three intervals. */
export function lateBefore({ now, services }: Ctx): string {
  return new Date(Date.parse(now) - intervals * services.config.heartbeatSeconds * 1000).toISOString()
}
