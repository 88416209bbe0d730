/**
 * Raises the work after which V8 optimises a function. Tests run most functions only a few times, and optimising them
 * takes a tenth of the processor time.
 */
export const optimiseLater = "--interrupt-budget=1000000"
