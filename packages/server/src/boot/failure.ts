/** Why the server does not start, in words for the person who starts it; shown without a stack. */
export class StartFailure extends Error {}
