import { v7 } from 'uuid'

/** A UUIDv7: time-ordered, so that newest first is `order by id desc`. */
export function newId(): string {
  return v7()
}
