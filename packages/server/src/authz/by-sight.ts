import type { RawBuilder } from 'kysely'
import { byShape, type Fields, type Shape } from '../db/statements/by-shape.ts'
import { type NamedSql, type NamedValues, namedFragment, namedStatement } from '../db/statements/named-parameters.ts'
import type { RawStatement } from '../db/statements/statement.ts'
import type { Member } from './actor.ts'
import { type Sight, sightOf, sights, sightValues } from './sight.ts'

type WithSight<F extends Fields> = Shape<F> & { readonly sight: Sight }

/**
 * Returns a function that creates the SQL statement for an actor. The SQL text depends only on the actor's sight (which rules
 * limit the rows that the actor may see) and on the values of `fields`, so each text is built only once. The text may use the
 * named parameters of `sightValues` and the parameters that the caller passes in `values`.
 */
export function statementsBySight<const F extends Fields, Row>(
  fields: F,
  build: (shape: WithSight<F>) => NamedSql<Row>,
): (actor: Member, shape: Shape<F>, values: NamedValues) => RawStatement<Row> {
  const statements = bySight(fields, (shape) => namedStatement(build(shape)))
  return (actor, shape, values) => statements[sightOf(actor)](shape)({ ...values, ...sightValues(actor) })
}

/**
 * Like `statementsBySight`, but the returned function creates a fragment for the query builder instead of a whole statement.
 * The SQL text may use only the named parameters of `sightValues`.
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
