// Apart from the schemas of the contract, because the command line names these words in its help and must start fast.
export const edgeStates = ['confirmed', 'waiting', 'unreachable'] as const
