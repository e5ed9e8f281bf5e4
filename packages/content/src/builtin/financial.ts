import { patternsOf } from './builtin.ts'

const financial = patternsOf('financial')

export const financials = [
  financial(201, {
    name: 'Payment card number',
    keywords: [],
    expression: '\\b([2-6][0-9]{3}(?:[ -]?[0-9]){9,14}[0-9])\\b',
    check: 'card',
  }),
  financial(202, {
    name: 'IBAN',
    keywords: [],
    expression: '(?i)\\b([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30})\\b',
    check: 'iban',
  }),
]
