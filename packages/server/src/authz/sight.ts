import { slot } from '../db/shaped-statement.ts'
import type { Member } from './actor.ts'
import { boundEnvironment } from './can.ts'

/** What the text of a visibility condition depends on: actors of one sight share their statements. */
export const sightOf = (actor: Member) =>
  `${actor.accessScope} ${boundEnvironment(actor) === null ? 'everywhere' : 'bound'}`

/** An actor who sees by the same rule, with slots for who they are; `sightValues` fills them. */
export function anyLike(actor: Member): Member {
  const environmentId = boundEnvironment(actor) === null ? null : slot('environmentId')
  return { ...actor, userId: slot('userId'), key: actor.key && { ...actor.key, environmentId } }
}

export const sightValues = (actor: Member) => ({ userId: actor.userId, environmentId: boundEnvironment(actor) })
