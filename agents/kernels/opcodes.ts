/** Numbers of the operations inside each family of kernels; the switch statements of assembly/elementwise.ts. */

export const UNARY = {
  Abs: 0,
  Neg: 1,
  Relu: 2,
  Exp: 3,
  Log: 4,
  Sqrt: 5,
  Rsqrt: 6,
  Square: 7,
  Tanh: 8,
  Sigmoid: 9,
  Elu: 10,
  Sign: 11,
  Floor: 12,
  Ceil: 13,
  Reciprocal: 14,
  Relu6: 15,
  Step: 16,
  LeakyRelu: 17,
} as const

export const BINARY = {
  Add: 0,
  Sub: 1,
  Multiply: 2,
  RealDiv: 3,
  Maximum: 4,
  Minimum: 5,
  SquaredDifference: 6,
  EluGrad: 7,
  ReluGrad: 8,
  TanhGrad: 9,
  SigmoidGrad: 10,
} as const

/** The same operations on int32. */
export const BINARY_INT = { Add: 11, Sub: 12, Multiply: 13, Maximum: 14, Minimum: 15 } as const

export const COMPARE = { Equal: 0, NotEqual: 1, Greater: 2, GreaterEqual: 3, Less: 4, LessEqual: 5 } as const

/** Added to a comparison to have it on int32. */
export const COMPARE_INT = 6

export const LOGIC = { LogicalAnd: 0, LogicalOr: 1, LogicalNot: 2 } as const

/** From and to which dtype; the number of `cast`. */
export const CAST: Readonly<Record<string, number>> = {
  'int32 float32': 0,
  'float32 int32': 1,
  'bool float32': 2,
  'bool int32': 3,
  'float32 bool': 4,
  'int32 bool': 5,
}
