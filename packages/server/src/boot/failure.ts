/** Thrown if the server cannot start. The message is for the operator, and is printed without a stack. */
export class StartFailure extends Error {}
