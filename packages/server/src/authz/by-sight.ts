import type { RawBuilder } from 'kysely'
import { byShape, type Fields, type Shape } from '../db/by-shape.ts'
import { type NamedSql, type NamedValues, namedFragment, namedStatement } from '../db/named-parameters.ts'
import type { RawStatement } from '../db/statement.ts'
import type { Member } from './actor.ts'
import { type Sight, sightOf, sights, sightValues } from './sight.ts'

type WithSight<F extends Fields> = Shape<F> & { readonly sight: Sight }

/**
 * Returns a function that gives the statement for an actor. The SQL text depends only on the actor's sight and on `fields`, so
 * each text is built only once. The parameters of the text are those of `sightValues` and those that the caller passes.
 */
export function statementsBySight<const F extends Fields, Row>(
  fields: F,
  build: (shape: WithSight<F>) => NamedSql<Row>,
): (actor: Member, shape: Shape<F>, values: NamedValues) => RawStatement<Row> {
  const statements = bySight(fields, (shape) => namedStatement(build(shape)))
  return (actor, shape, values) => statements[sightOf(actor)](shape)({ ...values, ...sightValues(actor) })
}

/**
 * Like `statementsBySight`, but returns fragments for the query builder. Their parameters are those of `sightValues`.
 */
export function fragmentsBySight<const F extends Fields, Type>(
  fields: F,
  build: (shape: WithSight<F>) => NamedSql<Type>,
): (actor: Member, shape: Shape<F>) => RawBuilder<Type> {
  const fragments = bySight(fields, (shape) => namedFragment(build(shape)))
  return (actor, shape) => fragments[sightOf(actor)](shape)(sightValues(actor))
}

function bySight<const F extends Fields, Built>(fields: F, build: (shape: WithSight<F>) => Built) {
  const of = (sight: Sight) => byShape(fields, (shape) => build({ ...shape, sight }))
  return Object.fromEntries(sights.map((sight) => [sight, of(sight)])) as Record<Sight, (shape: Shape<F>) => Built>
}
