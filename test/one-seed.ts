import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The seed of every property test. Null if fast-check chooses a new seed for each property. */
    propertySeed: number | null
  }
}

const seed = inject('propertySeed')
if (seed !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
