/** Everything environments, recorders and their users share. */
export * from './types.ts'
export * from './errors.ts'
export * from './random.ts'
export * from './seeds.ts'
export * from './digest.ts'
export * from './schema.ts'
export * from './spaces.ts'
export * from './batch.ts'
