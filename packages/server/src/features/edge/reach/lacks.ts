import { edgeFeatures } from '@mandate/contract/words/edge-features'

/** SQL: what the instance `i` did not say that it knows. */
export const lacksOfInstance = lacking((feature) => `not ${knows(feature)}`)

/** SQL: what at least one of the aggregated instances `i` did not say that it knows. Null without instances. */
export const lacksOfInstances = `case when count(*) > 0 then ${lacking((feature) => `bool_or(not ${knows(feature)})`)} end`

function lacking(condition: (feature: string) => string): string {
  const missing = edgeFeatures.map((feature) => `case when ${condition(feature)} then '${feature}' end`)
  return `array_remove(array[${missing.join(', ')}], null)`
}

function knows(feature: string): string {
  return `coalesce('${feature}' = any(i.features), false)`
}
