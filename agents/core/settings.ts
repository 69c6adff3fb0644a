/** Short forms for the flat settings records of learners: default, range, and a line of meaning with unit and source. */
import { Type, type TSchema } from '#typebox'

export const real = (value: number, minimum: number, maximum: number, description: string) =>
  Type.Number({ default: value, minimum, maximum, description })

export const whole = (value: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: value, minimum, maximum, description })

export const yes = (description: string) => Type.Boolean({ default: true, description })

/** A field that can have one value only: shown, saved, and refused when it is anything else. */
export const fixed = <Value extends string | number | boolean>(value: Value, description: string) =>
  Type.Literal(value, { default: value, description })

/** The same setting with a default and words of its own. */
export function revised<S extends TSchema>(setting: S, value: unknown, description: string): S {
  return { ...setting, default: value, description }
}
