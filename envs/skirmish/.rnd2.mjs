// \0rolldown/runtime.js
var __defProp = Object.defineProperty;
var __exportAll = (all, no_symbols) => {
	let target = {};
	for (var name in all) __defProp(target, name, {
		get: all[name],
		enumerable: true
	});
	if (!no_symbols) __defProp(target, Symbol.toStringTag, { value: "Module" });
	return target;
};
// node_modules/@sinclair/typebox/build/esm/type/guard/value.mjs
/** Returns true if this value is an async iterator */
function IsAsyncIterator$3(value) {
	return IsObject$3(value) && !IsArray$3(value) && !IsUint8Array$3(value) && Symbol.asyncIterator in value;
}
/** Returns true if this value is an array */
function IsArray$3(value) {
	return Array.isArray(value);
}
/** Returns true if this value is bigint */
function IsBigInt$3(value) {
	return typeof value === "bigint";
}
/** Returns true if this value is a boolean */
function IsBoolean$3(value) {
	return typeof value === "boolean";
}
/** Returns true if this value is a Date object */
function IsDate$3(value) {
	return value instanceof globalThis.Date;
}
/** Returns true if this value is a function */
function IsFunction$3(value) {
	return typeof value === "function";
}
/** Returns true if this value is an iterator */
function IsIterator$3(value) {
	return IsObject$3(value) && !IsArray$3(value) && !IsUint8Array$3(value) && Symbol.iterator in value;
}
/** Returns true if this value is null */
function IsNull$3(value) {
	return value === null;
}
/** Returns true if this value is number */
function IsNumber$3(value) {
	return typeof value === "number";
}
/** Returns true if this value is an object */
function IsObject$3(value) {
	return typeof value === "object" && value !== null;
}
/** Returns true if this value is RegExp */
function IsRegExp$2(value) {
	return value instanceof globalThis.RegExp;
}
/** Returns true if this value is string */
function IsString$3(value) {
	return typeof value === "string";
}
/** Returns true if this value is symbol */
function IsSymbol$3(value) {
	return typeof value === "symbol";
}
/** Returns true if this value is a Uint8Array */
function IsUint8Array$3(value) {
	return value instanceof globalThis.Uint8Array;
}
/** Returns true if this value is undefined */
function IsUndefined$3(value) {
	return value === void 0;
}
// node_modules/@sinclair/typebox/build/esm/type/clone/value.mjs
function ArrayType$1(value) {
	return value.map((value) => Visit$5(value));
}
function DateType$1(value) {
	return new Date(value.getTime());
}
function Uint8ArrayType$1(value) {
	return new Uint8Array(value);
}
function RegExpType(value) {
	return new RegExp(value.source, value.flags);
}
function ObjectType$1(value) {
	const result = {};
	for (const key of Object.getOwnPropertyNames(value)) result[key] = Visit$5(value[key]);
	for (const key of Object.getOwnPropertySymbols(value)) result[key] = Visit$5(value[key]);
	return result;
}
function Visit$5(value) {
	return IsArray$3(value) ? ArrayType$1(value) : IsDate$3(value) ? DateType$1(value) : IsUint8Array$3(value) ? Uint8ArrayType$1(value) : IsRegExp$2(value) ? RegExpType(value) : IsObject$3(value) ? ObjectType$1(value) : value;
}
/** Clones a value */
function Clone(value) {
	return Visit$5(value);
}
// node_modules/@sinclair/typebox/build/esm/type/clone/type.mjs
/** Clones a Type */
function CloneType(schema, options) {
	return options === void 0 ? Clone(schema) : Clone({
		...options,
		...schema
	});
}
// node_modules/@sinclair/typebox/build/esm/value/guard/guard.mjs
/** Returns true if this value is an async iterator */
function IsAsyncIterator$2(value) {
	return IsObject$2(value) && globalThis.Symbol.asyncIterator in value;
}
/** Returns true if this value is an iterator */
function IsIterator$2(value) {
	return IsObject$2(value) && globalThis.Symbol.iterator in value;
}
/** Returns true if this value is a Promise */
function IsPromise$2(value) {
	return value instanceof globalThis.Promise;
}
/** Returns true if this value is a Date */
function IsDate$2(value) {
	return value instanceof Date && globalThis.Number.isFinite(value.getTime());
}
/** Returns true if the value is a Uint8Array */
function IsUint8Array$2(value) {
	return value instanceof globalThis.Uint8Array;
}
/** Returns true of this value is an object type */
function IsObject$2(value) {
	return value !== null && typeof value === "object";
}
/** Returns true if this value is an array, but not a typed array */
function IsArray$2(value) {
	return globalThis.Array.isArray(value) && !globalThis.ArrayBuffer.isView(value);
}
/** Returns true if this value is an undefined */
function IsUndefined$2(value) {
	return value === void 0;
}
/** Returns true if this value is an null */
function IsNull$2(value) {
	return value === null;
}
/** Returns true if this value is an boolean */
function IsBoolean$2(value) {
	return typeof value === "boolean";
}
/** Returns true if this value is an number */
function IsNumber$2(value) {
	return typeof value === "number";
}
/** Returns true if this value is an integer */
function IsInteger$2(value) {
	return globalThis.Number.isInteger(value);
}
/** Returns true if this value is bigint */
function IsBigInt$2(value) {
	return typeof value === "bigint";
}
/** Returns true if this value is string */
function IsString$2(value) {
	return typeof value === "string";
}
/** Returns true if this value is a function */
function IsFunction$2(value) {
	return typeof value === "function";
}
/** Returns true if this value is a symbol */
function IsSymbol$2(value) {
	return typeof value === "symbol";
}
// node_modules/@sinclair/typebox/build/esm/system/policy.mjs
var TypeSystemPolicy;
(function(TypeSystemPolicy) {
	/**
	* Configures the instantiation behavior of TypeBox types. The `default` option assigns raw JavaScript
	* references for embedded types, which may cause side effects if type properties are explicitly updated
	* outside the TypeBox type builder. The `clone` option creates copies of any shared types upon creation,
	* preventing unintended side effects. The `freeze` option applies `Object.freeze()` to the type, making
	* it fully readonly and immutable. Implementations should use `default` whenever possible, as it is the
	* fastest way to instantiate types. The default setting is `default`.
	*/
	TypeSystemPolicy.InstanceMode = "default";
	/** Sets whether TypeBox should assert optional properties using the TypeScript `exactOptionalPropertyTypes` assertion policy. The default is `false` */
	TypeSystemPolicy.ExactOptionalPropertyTypes = false;
	/** Sets whether arrays should be treated as a kind of objects. The default is `false` */
	TypeSystemPolicy.AllowArrayObject = false;
	/** Sets whether `NaN` or `Infinity` should be treated as valid numeric values. The default is `false` */
	TypeSystemPolicy.AllowNaN = false;
	/** Sets whether `null` should validate for void types. The default is `false` */
	TypeSystemPolicy.AllowNullVoid = false;
	/** Checks this value using the ExactOptionalPropertyTypes policy */
	function IsExactOptionalProperty(value, key) {
		return TypeSystemPolicy.ExactOptionalPropertyTypes ? key in value : value[key] !== void 0;
	}
	TypeSystemPolicy.IsExactOptionalProperty = IsExactOptionalProperty;
	/** Checks this value using the AllowArrayObjects policy */
	function IsObjectLike(value) {
		const isObject = IsObject$2(value);
		return TypeSystemPolicy.AllowArrayObject ? isObject : isObject && !IsArray$2(value);
	}
	TypeSystemPolicy.IsObjectLike = IsObjectLike;
	/** Checks this value as a record using the AllowArrayObjects policy */
	function IsRecordLike(value) {
		return IsObjectLike(value) && !(value instanceof Date) && !(value instanceof Uint8Array);
	}
	TypeSystemPolicy.IsRecordLike = IsRecordLike;
	/** Checks this value using the AllowNaN policy */
	function IsNumberLike(value) {
		return TypeSystemPolicy.AllowNaN ? IsNumber$2(value) : Number.isFinite(value);
	}
	TypeSystemPolicy.IsNumberLike = IsNumberLike;
	/** Checks this value using the AllowVoidNull policy */
	function IsVoidLike(value) {
		const isUndefined = IsUndefined$2(value);
		return TypeSystemPolicy.AllowNullVoid ? isUndefined || value === null : isUndefined;
	}
	TypeSystemPolicy.IsVoidLike = IsVoidLike;
})(TypeSystemPolicy || (TypeSystemPolicy = {}));
// node_modules/@sinclair/typebox/build/esm/type/create/immutable.mjs
function ImmutableArray(value) {
	return globalThis.Object.freeze(value).map((value) => Immutable(value));
}
function ImmutableDate(value) {
	return value;
}
function ImmutableUint8Array(value) {
	return value;
}
function ImmutableRegExp(value) {
	return value;
}
function ImmutableObject(value) {
	const result = {};
	for (const key of Object.getOwnPropertyNames(value)) result[key] = Immutable(value[key]);
	for (const key of Object.getOwnPropertySymbols(value)) result[key] = Immutable(value[key]);
	return globalThis.Object.freeze(result);
}
/** Specialized deep immutable value. Applies freeze recursively to the given value */
function Immutable(value) {
	return IsArray$3(value) ? ImmutableArray(value) : IsDate$3(value) ? ImmutableDate(value) : IsUint8Array$3(value) ? ImmutableUint8Array(value) : IsRegExp$2(value) ? ImmutableRegExp(value) : IsObject$3(value) ? ImmutableObject(value) : value;
}
// node_modules/@sinclair/typebox/build/esm/type/create/type.mjs
/** Creates TypeBox schematics using the configured InstanceMode */
function CreateType(schema, options) {
	const result = options !== void 0 ? {
		...options,
		...schema
	} : schema;
	switch (TypeSystemPolicy.InstanceMode) {
		case "freeze": return Immutable(result);
		case "clone": return Clone(result);
		default: return result;
	}
}
// node_modules/@sinclair/typebox/build/esm/type/error/error.mjs
/** The base Error type thrown for all TypeBox exceptions  */
var TypeBoxError = class extends Error {
	constructor(message) {
		super(message);
	}
};
// node_modules/@sinclair/typebox/build/esm/type/symbols/symbols.mjs
/** Symbol key applied to transform types */
const TransformKind = Symbol.for("TypeBox.Transform");
/** Symbol key applied to readonly types */
const ReadonlyKind = Symbol.for("TypeBox.Readonly");
/** Symbol key applied to optional types */
const OptionalKind = Symbol.for("TypeBox.Optional");
/** Symbol key applied to types */
const Hint = Symbol.for("TypeBox.Hint");
/** Symbol key applied to types */
const Kind = Symbol.for("TypeBox.Kind");
// node_modules/@sinclair/typebox/build/esm/type/guard/kind.mjs
/** `[Kind-Only]` Returns true if this value has a Readonly symbol */
function IsReadonly(value) {
	return IsObject$3(value) && value[ReadonlyKind] === "Readonly";
}
/** `[Kind-Only]` Returns true if this value has a Optional symbol */
function IsOptional$1(value) {
	return IsObject$3(value) && value[OptionalKind] === "Optional";
}
/** `[Kind-Only]` Returns true if the given value is TAny */
function IsAny$1(value) {
	return IsKindOf$1(value, "Any");
}
/** `[Kind-Only]` Returns true if the given value is TArgument */
function IsArgument$1(value) {
	return IsKindOf$1(value, "Argument");
}
/** `[Kind-Only]` Returns true if the given value is TArray */
function IsArray$1(value) {
	return IsKindOf$1(value, "Array");
}
/** `[Kind-Only]` Returns true if the given value is TAsyncIterator */
function IsAsyncIterator$1(value) {
	return IsKindOf$1(value, "AsyncIterator");
}
/** `[Kind-Only]` Returns true if the given value is TBigInt */
function IsBigInt$1(value) {
	return IsKindOf$1(value, "BigInt");
}
/** `[Kind-Only]` Returns true if the given value is TBoolean */
function IsBoolean$1(value) {
	return IsKindOf$1(value, "Boolean");
}
/** `[Kind-Only]` Returns true if the given value is TComputed */
function IsComputed$1(value) {
	return IsKindOf$1(value, "Computed");
}
/** `[Kind-Only]` Returns true if the given value is TConstructor */
function IsConstructor$1(value) {
	return IsKindOf$1(value, "Constructor");
}
/** `[Kind-Only]` Returns true if the given value is TDate */
function IsDate$1(value) {
	return IsKindOf$1(value, "Date");
}
/** `[Kind-Only]` Returns true if the given value is TFunction */
function IsFunction$1(value) {
	return IsKindOf$1(value, "Function");
}
/** `[Kind-Only]` Returns true if the given value is TInteger */
function IsInteger$1(value) {
	return IsKindOf$1(value, "Integer");
}
/** `[Kind-Only]` Returns true if the given value is TIntersect */
function IsIntersect$1(value) {
	return IsKindOf$1(value, "Intersect");
}
/** `[Kind-Only]` Returns true if the given value is TIterator */
function IsIterator$1(value) {
	return IsKindOf$1(value, "Iterator");
}
/** `[Kind-Only]` Returns true if the given value is a TKind with the given name. */
function IsKindOf$1(value, kind) {
	return IsObject$3(value) && Kind in value && value[Kind] === kind;
}
/** `[Kind-Only]` Returns true if the given value is TLiteralValue */
function IsLiteralValue$1(value) {
	return IsBoolean$3(value) || IsNumber$3(value) || IsString$3(value);
}
/** `[Kind-Only]` Returns true if the given value is TLiteral */
function IsLiteral$1(value) {
	return IsKindOf$1(value, "Literal");
}
/** `[Kind-Only]` Returns true if the given value is a TMappedKey */
function IsMappedKey$1(value) {
	return IsKindOf$1(value, "MappedKey");
}
/** `[Kind-Only]` Returns true if the given value is TMappedResult */
function IsMappedResult$1(value) {
	return IsKindOf$1(value, "MappedResult");
}
/** `[Kind-Only]` Returns true if the given value is TNever */
function IsNever$1(value) {
	return IsKindOf$1(value, "Never");
}
/** `[Kind-Only]` Returns true if the given value is TNot */
function IsNot$1(value) {
	return IsKindOf$1(value, "Not");
}
/** `[Kind-Only]` Returns true if the given value is TNull */
function IsNull$1(value) {
	return IsKindOf$1(value, "Null");
}
/** `[Kind-Only]` Returns true if the given value is TNumber */
function IsNumber$1(value) {
	return IsKindOf$1(value, "Number");
}
/** `[Kind-Only]` Returns true if the given value is TObject */
function IsObject$1(value) {
	return IsKindOf$1(value, "Object");
}
/** `[Kind-Only]` Returns true if the given value is TPromise */
function IsPromise$1(value) {
	return IsKindOf$1(value, "Promise");
}
/** `[Kind-Only]` Returns true if the given value is TRecord */
function IsRecord$1(value) {
	return IsKindOf$1(value, "Record");
}
/** `[Kind-Only]` Returns true if the given value is TRef */
function IsRef$1(value) {
	return IsKindOf$1(value, "Ref");
}
/** `[Kind-Only]` Returns true if the given value is TRegExp */
function IsRegExp$1(value) {
	return IsKindOf$1(value, "RegExp");
}
/** `[Kind-Only]` Returns true if the given value is TString */
function IsString$1(value) {
	return IsKindOf$1(value, "String");
}
/** `[Kind-Only]` Returns true if the given value is TSymbol */
function IsSymbol$1(value) {
	return IsKindOf$1(value, "Symbol");
}
/** `[Kind-Only]` Returns true if the given value is TTemplateLiteral */
function IsTemplateLiteral$1(value) {
	return IsKindOf$1(value, "TemplateLiteral");
}
/** `[Kind-Only]` Returns true if the given value is TThis */
function IsThis$1(value) {
	return IsKindOf$1(value, "This");
}
/** `[Kind-Only]` Returns true of this value is TTransform */
function IsTransform$1(value) {
	return IsObject$3(value) && TransformKind in value;
}
/** `[Kind-Only]` Returns true if the given value is TTuple */
function IsTuple$1(value) {
	return IsKindOf$1(value, "Tuple");
}
/** `[Kind-Only]` Returns true if the given value is TUndefined */
function IsUndefined$1(value) {
	return IsKindOf$1(value, "Undefined");
}
/** `[Kind-Only]` Returns true if the given value is TUnion */
function IsUnion$1(value) {
	return IsKindOf$1(value, "Union");
}
/** `[Kind-Only]` Returns true if the given value is TUint8Array */
function IsUint8Array$1(value) {
	return IsKindOf$1(value, "Uint8Array");
}
/** `[Kind-Only]` Returns true if the given value is TUnknown */
function IsUnknown$1(value) {
	return IsKindOf$1(value, "Unknown");
}
/** `[Kind-Only]` Returns true if the given value is a raw TUnsafe */
function IsUnsafe$1(value) {
	return IsKindOf$1(value, "Unsafe");
}
/** `[Kind-Only]` Returns true if the given value is TVoid */
function IsVoid$1(value) {
	return IsKindOf$1(value, "Void");
}
/** `[Kind-Only]` Returns true if the given value is TKind */
function IsKind$1(value) {
	return IsObject$3(value) && Kind in value && IsString$3(value[Kind]);
}
/** `[Kind-Only]` Returns true if the given value is TSchema */
function IsSchema$1(value) {
	return IsAny$1(value) || IsArgument$1(value) || IsArray$1(value) || IsBoolean$1(value) || IsBigInt$1(value) || IsAsyncIterator$1(value) || IsComputed$1(value) || IsConstructor$1(value) || IsDate$1(value) || IsFunction$1(value) || IsInteger$1(value) || IsIntersect$1(value) || IsIterator$1(value) || IsLiteral$1(value) || IsMappedKey$1(value) || IsMappedResult$1(value) || IsNever$1(value) || IsNot$1(value) || IsNull$1(value) || IsNumber$1(value) || IsObject$1(value) || IsPromise$1(value) || IsRecord$1(value) || IsRef$1(value) || IsRegExp$1(value) || IsString$1(value) || IsSymbol$1(value) || IsTemplateLiteral$1(value) || IsThis$1(value) || IsTuple$1(value) || IsUndefined$1(value) || IsUnion$1(value) || IsUint8Array$1(value) || IsUnknown$1(value) || IsUnsafe$1(value) || IsVoid$1(value) || IsKind$1(value);
}
// node_modules/@sinclair/typebox/build/esm/type/guard/type.mjs
const KnownTypes = [
	"Argument",
	"Any",
	"Array",
	"AsyncIterator",
	"BigInt",
	"Boolean",
	"Computed",
	"Constructor",
	"Date",
	"Enum",
	"Function",
	"Integer",
	"Intersect",
	"Iterator",
	"Literal",
	"MappedKey",
	"MappedResult",
	"Not",
	"Null",
	"Number",
	"Object",
	"Promise",
	"Record",
	"Ref",
	"RegExp",
	"String",
	"Symbol",
	"TemplateLiteral",
	"This",
	"Tuple",
	"Undefined",
	"Union",
	"Uint8Array",
	"Unknown",
	"Void"
];
function IsPattern(value) {
	try {
		new RegExp(value);
		return true;
	} catch {
		return false;
	}
}
function IsControlCharacterFree(value) {
	if (!IsString$3(value)) return false;
	for (let i = 0; i < value.length; i++) {
		const code = value.charCodeAt(i);
		if (code >= 7 && code <= 13 || code === 27 || code === 127) return false;
	}
	return true;
}
function IsAdditionalProperties(value) {
	return IsOptionalBoolean(value) || IsSchema(value);
}
function IsOptionalBigInt(value) {
	return IsUndefined$3(value) || IsBigInt$3(value);
}
function IsOptionalNumber(value) {
	return IsUndefined$3(value) || IsNumber$3(value);
}
function IsOptionalBoolean(value) {
	return IsUndefined$3(value) || IsBoolean$3(value);
}
function IsOptionalString(value) {
	return IsUndefined$3(value) || IsString$3(value);
}
function IsOptionalPattern(value) {
	return IsUndefined$3(value) || IsString$3(value) && IsControlCharacterFree(value) && IsPattern(value);
}
function IsOptionalFormat(value) {
	return IsUndefined$3(value) || IsString$3(value) && IsControlCharacterFree(value);
}
function IsOptionalSchema(value) {
	return IsUndefined$3(value) || IsSchema(value);
}
/** Returns true if this value has a Optional symbol */
function IsOptional(value) {
	return IsObject$3(value) && value[OptionalKind] === "Optional";
}
/** Returns true if the given value is TAny */
function IsAny(value) {
	return IsKindOf(value, "Any") && IsOptionalString(value.$id);
}
/** Returns true if the given value is TArgument */
function IsArgument(value) {
	return IsKindOf(value, "Argument") && IsNumber$3(value.index);
}
/** Returns true if the given value is TArray */
function IsArray(value) {
	return IsKindOf(value, "Array") && value.type === "array" && IsOptionalString(value.$id) && IsSchema(value.items) && IsOptionalNumber(value.minItems) && IsOptionalNumber(value.maxItems) && IsOptionalBoolean(value.uniqueItems) && IsOptionalSchema(value.contains) && IsOptionalNumber(value.minContains) && IsOptionalNumber(value.maxContains);
}
/** Returns true if the given value is TAsyncIterator */
function IsAsyncIterator(value) {
	return IsKindOf(value, "AsyncIterator") && value.type === "AsyncIterator" && IsOptionalString(value.$id) && IsSchema(value.items);
}
/** Returns true if the given value is TBigInt */
function IsBigInt(value) {
	return IsKindOf(value, "BigInt") && value.type === "bigint" && IsOptionalString(value.$id) && IsOptionalBigInt(value.exclusiveMaximum) && IsOptionalBigInt(value.exclusiveMinimum) && IsOptionalBigInt(value.maximum) && IsOptionalBigInt(value.minimum) && IsOptionalBigInt(value.multipleOf);
}
/** Returns true if the given value is TBoolean */
function IsBoolean(value) {
	return IsKindOf(value, "Boolean") && value.type === "boolean" && IsOptionalString(value.$id);
}
/** Returns true if the given value is TComputed */
function IsComputed(value) {
	return IsKindOf(value, "Computed") && IsString$3(value.target) && IsArray$3(value.parameters) && value.parameters.every((schema) => IsSchema(schema));
}
/** Returns true if the given value is TConstructor */
function IsConstructor(value) {
	return IsKindOf(value, "Constructor") && value.type === "Constructor" && IsOptionalString(value.$id) && IsArray$3(value.parameters) && value.parameters.every((schema) => IsSchema(schema)) && IsSchema(value.returns);
}
/** Returns true if the given value is TDate */
function IsDate(value) {
	return IsKindOf(value, "Date") && value.type === "Date" && IsOptionalString(value.$id) && IsOptionalNumber(value.exclusiveMaximumTimestamp) && IsOptionalNumber(value.exclusiveMinimumTimestamp) && IsOptionalNumber(value.maximumTimestamp) && IsOptionalNumber(value.minimumTimestamp) && IsOptionalNumber(value.multipleOfTimestamp);
}
/** Returns true if the given value is TFunction */
function IsFunction(value) {
	return IsKindOf(value, "Function") && value.type === "Function" && IsOptionalString(value.$id) && IsArray$3(value.parameters) && value.parameters.every((schema) => IsSchema(schema)) && IsSchema(value.returns);
}
/** Returns true if the given value is TInteger */
function IsInteger(value) {
	return IsKindOf(value, "Integer") && value.type === "integer" && IsOptionalString(value.$id) && IsOptionalNumber(value.exclusiveMaximum) && IsOptionalNumber(value.exclusiveMinimum) && IsOptionalNumber(value.maximum) && IsOptionalNumber(value.minimum) && IsOptionalNumber(value.multipleOf);
}
/** Returns true if the given schema is TProperties */
function IsProperties(value) {
	return IsObject$3(value) && Object.entries(value).every(([key, schema]) => IsControlCharacterFree(key) && IsSchema(schema));
}
/** Returns true if the given value is TIntersect */
function IsIntersect(value) {
	return IsKindOf(value, "Intersect") && (IsString$3(value.type) && value.type !== "object" ? false : true) && IsArray$3(value.allOf) && value.allOf.every((schema) => IsSchema(schema) && !IsTransform(schema)) && IsOptionalString(value.type) && (IsOptionalBoolean(value.unevaluatedProperties) || IsOptionalSchema(value.unevaluatedProperties)) && IsOptionalString(value.$id);
}
/** Returns true if the given value is TIterator */
function IsIterator(value) {
	return IsKindOf(value, "Iterator") && value.type === "Iterator" && IsOptionalString(value.$id) && IsSchema(value.items);
}
/** Returns true if the given value is a TKind with the given name. */
function IsKindOf(value, kind) {
	return IsObject$3(value) && Kind in value && value[Kind] === kind;
}
/** Returns true if the given value is TLiteral<string> */
function IsLiteralString(value) {
	return IsLiteral(value) && IsString$3(value.const);
}
/** Returns true if the given value is TLiteral<number> */
function IsLiteralNumber(value) {
	return IsLiteral(value) && IsNumber$3(value.const);
}
/** Returns true if the given value is TLiteral<boolean> */
function IsLiteralBoolean(value) {
	return IsLiteral(value) && IsBoolean$3(value.const);
}
/** Returns true if the given value is TLiteral */
function IsLiteral(value) {
	return IsKindOf(value, "Literal") && IsOptionalString(value.$id) && IsLiteralValue(value.const);
}
/** Returns true if the given value is a TLiteralValue */
function IsLiteralValue(value) {
	return IsBoolean$3(value) || IsNumber$3(value) || IsString$3(value);
}
/** Returns true if the given value is a TMappedKey */
function IsMappedKey(value) {
	return IsKindOf(value, "MappedKey") && IsArray$3(value.keys) && value.keys.every((key) => IsNumber$3(key) || IsString$3(key));
}
/** Returns true if the given value is TMappedResult */
function IsMappedResult(value) {
	return IsKindOf(value, "MappedResult") && IsProperties(value.properties);
}
/** Returns true if the given value is TNever */
function IsNever(value) {
	return IsKindOf(value, "Never") && IsObject$3(value.not) && Object.getOwnPropertyNames(value.not).length === 0;
}
/** Returns true if the given value is TNot */
function IsNot(value) {
	return IsKindOf(value, "Not") && IsSchema(value.not);
}
/** Returns true if the given value is TNull */
function IsNull(value) {
	return IsKindOf(value, "Null") && value.type === "null" && IsOptionalString(value.$id);
}
/** Returns true if the given value is TNumber */
function IsNumber(value) {
	return IsKindOf(value, "Number") && value.type === "number" && IsOptionalString(value.$id) && IsOptionalNumber(value.exclusiveMaximum) && IsOptionalNumber(value.exclusiveMinimum) && IsOptionalNumber(value.maximum) && IsOptionalNumber(value.minimum) && IsOptionalNumber(value.multipleOf);
}
/** Returns true if the given value is TObject */
function IsObject(value) {
	return IsKindOf(value, "Object") && value.type === "object" && IsOptionalString(value.$id) && IsProperties(value.properties) && IsAdditionalProperties(value.additionalProperties) && IsOptionalNumber(value.minProperties) && IsOptionalNumber(value.maxProperties);
}
/** Returns true if the given value is TPromise */
function IsPromise(value) {
	return IsKindOf(value, "Promise") && value.type === "Promise" && IsOptionalString(value.$id) && IsSchema(value.item);
}
/** Returns true if the given value is TRecord */
function IsRecord(value) {
	return IsKindOf(value, "Record") && value.type === "object" && IsOptionalString(value.$id) && IsAdditionalProperties(value.additionalProperties) && IsObject$3(value.patternProperties) && ((schema) => {
		const keys = Object.getOwnPropertyNames(schema.patternProperties);
		return keys.length === 1 && IsPattern(keys[0]) && IsObject$3(schema.patternProperties) && IsSchema(schema.patternProperties[keys[0]]);
	})(value);
}
/** Returns true if the given value is TRef */
function IsRef(value) {
	return IsKindOf(value, "Ref") && IsOptionalString(value.$id) && IsString$3(value.$ref);
}
/** Returns true if the given value is TRegExp */
function IsRegExp(value) {
	return IsKindOf(value, "RegExp") && IsOptionalString(value.$id) && IsString$3(value.source) && IsString$3(value.flags) && IsOptionalNumber(value.maxLength) && IsOptionalNumber(value.minLength);
}
/** Returns true if the given value is TString */
function IsString(value) {
	return IsKindOf(value, "String") && value.type === "string" && IsOptionalString(value.$id) && IsOptionalNumber(value.minLength) && IsOptionalNumber(value.maxLength) && IsOptionalPattern(value.pattern) && IsOptionalFormat(value.format);
}
/** Returns true if the given value is TSymbol */
function IsSymbol(value) {
	return IsKindOf(value, "Symbol") && value.type === "symbol" && IsOptionalString(value.$id);
}
/** Returns true if the given value is TTemplateLiteral */
function IsTemplateLiteral(value) {
	return IsKindOf(value, "TemplateLiteral") && value.type === "string" && IsString$3(value.pattern) && value.pattern[0] === "^" && value.pattern[value.pattern.length - 1] === "$";
}
/** Returns true if the given value is TThis */
function IsThis(value) {
	return IsKindOf(value, "This") && IsOptionalString(value.$id) && IsString$3(value.$ref);
}
/** Returns true of this value is TTransform */
function IsTransform(value) {
	return IsObject$3(value) && TransformKind in value;
}
/** Returns true if the given value is TTuple */
function IsTuple(value) {
	return IsKindOf(value, "Tuple") && value.type === "array" && IsOptionalString(value.$id) && IsNumber$3(value.minItems) && IsNumber$3(value.maxItems) && value.minItems === value.maxItems && (IsUndefined$3(value.items) && IsUndefined$3(value.additionalItems) && value.minItems === 0 || IsArray$3(value.items) && value.items.every((schema) => IsSchema(schema)));
}
/** Returns true if the given value is TUndefined */
function IsUndefined(value) {
	return IsKindOf(value, "Undefined") && value.type === "undefined" && IsOptionalString(value.$id);
}
/** Returns true if the given value is TUnion */
function IsUnion(value) {
	return IsKindOf(value, "Union") && IsOptionalString(value.$id) && IsObject$3(value) && IsArray$3(value.anyOf) && value.anyOf.every((schema) => IsSchema(schema));
}
/** Returns true if the given value is TUint8Array */
function IsUint8Array(value) {
	return IsKindOf(value, "Uint8Array") && value.type === "Uint8Array" && IsOptionalString(value.$id) && IsOptionalNumber(value.minByteLength) && IsOptionalNumber(value.maxByteLength);
}
/** Returns true if the given value is TUnknown */
function IsUnknown(value) {
	return IsKindOf(value, "Unknown") && IsOptionalString(value.$id);
}
/** Returns true if the given value is a raw TUnsafe */
function IsUnsafe(value) {
	return IsKindOf(value, "Unsafe");
}
/** Returns true if the given value is TVoid */
function IsVoid(value) {
	return IsKindOf(value, "Void") && value.type === "void" && IsOptionalString(value.$id);
}
/** Returns true if the given value is TKind */
function IsKind(value) {
	return IsObject$3(value) && Kind in value && IsString$3(value[Kind]) && !KnownTypes.includes(value[Kind]);
}
/** Returns true if the given value is TSchema */
function IsSchema(value) {
	return IsObject$3(value) && (IsAny(value) || IsArgument(value) || IsArray(value) || IsBoolean(value) || IsBigInt(value) || IsAsyncIterator(value) || IsComputed(value) || IsConstructor(value) || IsDate(value) || IsFunction(value) || IsInteger(value) || IsIntersect(value) || IsIterator(value) || IsLiteral(value) || IsMappedKey(value) || IsMappedResult(value) || IsNever(value) || IsNot(value) || IsNull(value) || IsNumber(value) || IsObject(value) || IsPromise(value) || IsRecord(value) || IsRef(value) || IsRegExp(value) || IsString(value) || IsSymbol(value) || IsTemplateLiteral(value) || IsThis(value) || IsTuple(value) || IsUndefined(value) || IsUnion(value) || IsUint8Array(value) || IsUnknown(value) || IsUnsafe(value) || IsVoid(value) || IsKind(value));
}
// node_modules/@sinclair/typebox/build/esm/type/patterns/patterns.mjs
const PatternBoolean = "(true|false)";
const PatternNumber = "(0|[1-9][0-9]*)";
const PatternString = "(.*)";
const PatternNever = "(?!.*)";
const PatternNumberExact = `^${PatternNumber}$`;
const PatternStringExact = `^${PatternString}$`;
const PatternNeverExact = `^${PatternNever}$`;
// node_modules/@sinclair/typebox/build/esm/type/registry/format.mjs
/** A registry for user defined string formats */
const map$1 = /* @__PURE__ */ new Map();
/** Returns true if the user defined string format exists */
function Has$1(format) {
	return map$1.has(format);
}
/** Gets a validation function for a user defined string format */
function Get$1(format) {
	return map$1.get(format);
}
// node_modules/@sinclair/typebox/build/esm/type/registry/type.mjs
/** A registry for user defined types */
const map = /* @__PURE__ */ new Map();
/** Returns true if this registry contains this kind */
function Has(kind) {
	return map.has(kind);
}
/** Gets a custom validation function for a user defined type */
function Get(kind) {
	return map.get(kind);
}
// node_modules/@sinclair/typebox/build/esm/type/sets/set.mjs
/** Returns true if element right is in the set of left */
function SetIncludes(T, S) {
	return T.includes(S);
}
/** Returns a distinct set of elements */
function SetDistinct(T) {
	return [...new Set(T)];
}
/** Returns the Intersect of the given sets */
function SetIntersect(T, S) {
	return T.filter((L) => S.includes(L));
}
function SetIntersectManyResolve(T, Init) {
	return T.reduce((Acc, L) => {
		return SetIntersect(Acc, L);
	}, Init);
}
function SetIntersectMany(T) {
	return T.length === 1 ? T[0] : T.length > 1 ? SetIntersectManyResolve(T.slice(1), T[0]) : [];
}
/** Returns the Union of multiple sets */
function SetUnionMany(T) {
	const Acc = [];
	for (const L of T) Acc.push(...L);
	return Acc;
}
// node_modules/@sinclair/typebox/build/esm/type/any/any.mjs
/** `[Json]` Creates an Any type */
function Any(options) {
	return CreateType({ [Kind]: "Any" }, options);
}
// node_modules/@sinclair/typebox/build/esm/type/array/array.mjs
/** `[Json]` Creates an Array type */
function Array$1(items, options) {
	return CreateType({
		[Kind]: "Array",
		type: "array",
		items
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/argument/argument.mjs
/** `[JavaScript]` Creates an Argument Type. */
function Argument(index) {
	return CreateType({
		[Kind]: "Argument",
		index
	});
}
// node_modules/@sinclair/typebox/build/esm/type/async-iterator/async-iterator.mjs
/** `[JavaScript]` Creates a AsyncIterator type */
function AsyncIterator(items, options) {
	return CreateType({
		[Kind]: "AsyncIterator",
		type: "AsyncIterator",
		items
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/computed/computed.mjs
/** `[Internal]` Creates a deferred computed type. This type is used exclusively in modules to defer resolution of computable types that contain interior references  */
function Computed(target, parameters, options) {
	return CreateType({
		[Kind]: "Computed",
		target,
		parameters
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/discard/discard.mjs
function DiscardKey(value, key) {
	const { [key]: _, ...rest } = value;
	return rest;
}
/** Discards property keys from the given value. This function returns a shallow Clone. */
function Discard(value, keys) {
	return keys.reduce((acc, key) => DiscardKey(acc, key), value);
}
// node_modules/@sinclair/typebox/build/esm/type/never/never.mjs
/** `[Json]` Creates a Never type */
function Never(options) {
	return CreateType({
		[Kind]: "Never",
		not: {}
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/mapped/mapped-result.mjs
function MappedResult(properties) {
	return CreateType({
		[Kind]: "MappedResult",
		properties
	});
}
// node_modules/@sinclair/typebox/build/esm/type/constructor/constructor.mjs
/** `[JavaScript]` Creates a Constructor type */
function Constructor(parameters, returns, options) {
	return CreateType({
		[Kind]: "Constructor",
		type: "Constructor",
		parameters,
		returns
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/function/function.mjs
/** `[JavaScript]` Creates a Function type */
function Function(parameters, returns, options) {
	return CreateType({
		[Kind]: "Function",
		type: "Function",
		parameters,
		returns
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/union/union-create.mjs
function UnionCreate(T, options) {
	return CreateType({
		[Kind]: "Union",
		anyOf: T
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/union/union-evaluated.mjs
function IsUnionOptional(types) {
	return types.some((type) => IsOptional$1(type));
}
function RemoveOptionalFromRest$1(types) {
	return types.map((left) => IsOptional$1(left) ? RemoveOptionalFromType$1(left) : left);
}
function RemoveOptionalFromType$1(T) {
	return Discard(T, [OptionalKind]);
}
function ResolveUnion(types, options) {
	return IsUnionOptional(types) ? Optional(UnionCreate(RemoveOptionalFromRest$1(types), options)) : UnionCreate(RemoveOptionalFromRest$1(types), options);
}
/** `[Json]` Creates an evaluated Union type */
function UnionEvaluated(T, options) {
	return T.length === 1 ? CreateType(T[0], options) : T.length === 0 ? Never(options) : ResolveUnion(T, options);
}
// node_modules/@sinclair/typebox/build/esm/type/union/union.mjs
/** `[Json]` Creates a Union type */
function Union$1(types, options) {
	return types.length === 0 ? Never(options) : types.length === 1 ? CreateType(types[0], options) : UnionCreate(types, options);
}
// node_modules/@sinclair/typebox/build/esm/type/template-literal/parse.mjs
var TemplateLiteralParserError = class extends TypeBoxError {};
function Unescape(pattern) {
	return pattern.replace(/\\\$/g, "$").replace(/\\\*/g, "*").replace(/\\\^/g, "^").replace(/\\\|/g, "|").replace(/\\\(/g, "(").replace(/\\\)/g, ")");
}
function IsNonEscaped(pattern, index, char) {
	return pattern[index] === char && pattern.charCodeAt(index - 1) !== 92;
}
function IsOpenParen(pattern, index) {
	return IsNonEscaped(pattern, index, "(");
}
function IsCloseParen(pattern, index) {
	return IsNonEscaped(pattern, index, ")");
}
function IsSeparator(pattern, index) {
	return IsNonEscaped(pattern, index, "|");
}
function IsGroup(pattern) {
	if (!(IsOpenParen(pattern, 0) && IsCloseParen(pattern, pattern.length - 1))) return false;
	let count = 0;
	for (let index = 0; index < pattern.length; index++) {
		if (IsOpenParen(pattern, index)) count += 1;
		if (IsCloseParen(pattern, index)) count -= 1;
		if (count === 0 && index !== pattern.length - 1) return false;
	}
	return true;
}
function InGroup(pattern) {
	return pattern.slice(1, pattern.length - 1);
}
function IsPrecedenceOr(pattern) {
	let count = 0;
	for (let index = 0; index < pattern.length; index++) {
		if (IsOpenParen(pattern, index)) count += 1;
		if (IsCloseParen(pattern, index)) count -= 1;
		if (IsSeparator(pattern, index) && count === 0) return true;
	}
	return false;
}
function IsPrecedenceAnd(pattern) {
	for (let index = 0; index < pattern.length; index++) if (IsOpenParen(pattern, index)) return true;
	return false;
}
function Or(pattern) {
	let [count, start] = [0, 0];
	const expressions = [];
	for (let index = 0; index < pattern.length; index++) {
		if (IsOpenParen(pattern, index)) count += 1;
		if (IsCloseParen(pattern, index)) count -= 1;
		if (IsSeparator(pattern, index) && count === 0) {
			const range = pattern.slice(start, index);
			if (range.length > 0) expressions.push(TemplateLiteralParse(range));
			start = index + 1;
		}
	}
	const range = pattern.slice(start);
	if (range.length > 0) expressions.push(TemplateLiteralParse(range));
	if (expressions.length === 0) return {
		type: "const",
		const: ""
	};
	if (expressions.length === 1) return expressions[0];
	return {
		type: "or",
		expr: expressions
	};
}
function And(pattern) {
	function Group(value, index) {
		if (!IsOpenParen(value, index)) throw new TemplateLiteralParserError(`TemplateLiteralParser: Index must point to open parens`);
		let count = 0;
		for (let scan = index; scan < value.length; scan++) {
			if (IsOpenParen(value, scan)) count += 1;
			if (IsCloseParen(value, scan)) count -= 1;
			if (count === 0) return [index, scan];
		}
		throw new TemplateLiteralParserError(`TemplateLiteralParser: Unclosed group parens in expression`);
	}
	function Range(pattern, index) {
		for (let scan = index; scan < pattern.length; scan++) if (IsOpenParen(pattern, scan)) return [index, scan];
		return [index, pattern.length];
	}
	const expressions = [];
	for (let index = 0; index < pattern.length; index++) if (IsOpenParen(pattern, index)) {
		const [start, end] = Group(pattern, index);
		const range = pattern.slice(start, end + 1);
		expressions.push(TemplateLiteralParse(range));
		index = end;
	} else {
		const [start, end] = Range(pattern, index);
		const range = pattern.slice(start, end);
		if (range.length > 0) expressions.push(TemplateLiteralParse(range));
		index = end - 1;
	}
	return expressions.length === 0 ? {
		type: "const",
		const: ""
	} : expressions.length === 1 ? expressions[0] : {
		type: "and",
		expr: expressions
	};
}
/** Parses a pattern and returns an expression tree */
function TemplateLiteralParse(pattern) {
	return IsGroup(pattern) ? TemplateLiteralParse(InGroup(pattern)) : IsPrecedenceOr(pattern) ? Or(pattern) : IsPrecedenceAnd(pattern) ? And(pattern) : {
		type: "const",
		const: Unescape(pattern)
	};
}
/** Parses a pattern and strips forward and trailing ^ and $ */
function TemplateLiteralParseExact(pattern) {
	return TemplateLiteralParse(pattern.slice(1, pattern.length - 1));
}
// node_modules/@sinclair/typebox/build/esm/type/template-literal/finite.mjs
var TemplateLiteralFiniteError = class extends TypeBoxError {};
function IsNumberExpression(expression) {
	return expression.type === "or" && expression.expr.length === 2 && expression.expr[0].type === "const" && expression.expr[0].const === "0" && expression.expr[1].type === "const" && expression.expr[1].const === "[1-9][0-9]*";
}
function IsBooleanExpression(expression) {
	return expression.type === "or" && expression.expr.length === 2 && expression.expr[0].type === "const" && expression.expr[0].const === "true" && expression.expr[1].type === "const" && expression.expr[1].const === "false";
}
function IsStringExpression(expression) {
	return expression.type === "const" && expression.const === ".*";
}
function IsTemplateLiteralExpressionFinite(expression) {
	return IsNumberExpression(expression) || IsStringExpression(expression) ? false : IsBooleanExpression(expression) ? true : expression.type === "and" ? expression.expr.every((expr) => IsTemplateLiteralExpressionFinite(expr)) : expression.type === "or" ? expression.expr.every((expr) => IsTemplateLiteralExpressionFinite(expr)) : expression.type === "const" ? true : (() => {
		throw new TemplateLiteralFiniteError(`Unknown expression type`);
	})();
}
/** Returns true if this TemplateLiteral resolves to a finite set of values */
function IsTemplateLiteralFinite(schema) {
	return IsTemplateLiteralExpressionFinite(TemplateLiteralParseExact(schema.pattern));
}
// node_modules/@sinclair/typebox/build/esm/type/template-literal/generate.mjs
var TemplateLiteralGenerateError = class extends TypeBoxError {};
function* GenerateReduce(buffer) {
	if (buffer.length === 1) return yield* buffer[0];
	for (const left of buffer[0]) for (const right of GenerateReduce(buffer.slice(1))) yield `${left}${right}`;
}
function* GenerateAnd(expression) {
	return yield* GenerateReduce(expression.expr.map((expr) => [...TemplateLiteralExpressionGenerate(expr)]));
}
function* GenerateOr(expression) {
	for (const expr of expression.expr) yield* TemplateLiteralExpressionGenerate(expr);
}
function* GenerateConst(expression) {
	return yield expression.const;
}
function* TemplateLiteralExpressionGenerate(expression) {
	return expression.type === "and" ? yield* GenerateAnd(expression) : expression.type === "or" ? yield* GenerateOr(expression) : expression.type === "const" ? yield* GenerateConst(expression) : (() => {
		throw new TemplateLiteralGenerateError("Unknown expression");
	})();
}
/** Generates a tuple of strings from the given TemplateLiteral. Returns an empty tuple if infinite. */
function TemplateLiteralGenerate(schema) {
	const expression = TemplateLiteralParseExact(schema.pattern);
	return IsTemplateLiteralExpressionFinite(expression) ? [...TemplateLiteralExpressionGenerate(expression)] : [];
}
// node_modules/@sinclair/typebox/build/esm/type/literal/literal.mjs
/** `[Json]` Creates a Literal type */
function Literal(value, options) {
	return CreateType({
		[Kind]: "Literal",
		const: value,
		type: typeof value
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/boolean/boolean.mjs
/** `[Json]` Creates a Boolean type */
function Boolean$1(options) {
	return CreateType({
		[Kind]: "Boolean",
		type: "boolean"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/bigint/bigint.mjs
/** `[JavaScript]` Creates a BigInt type */
function BigInt$1(options) {
	return CreateType({
		[Kind]: "BigInt",
		type: "bigint"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/number/number.mjs
/** `[Json]` Creates a Number type */
function Number$1(options) {
	return CreateType({
		[Kind]: "Number",
		type: "number"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/string/string.mjs
/** `[Json]` Creates a String type */
function String$1(options) {
	return CreateType({
		[Kind]: "String",
		type: "string"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/template-literal/syntax.mjs
function* FromUnion$11(syntax) {
	const trim = syntax.trim().replace(/"|'/g, "");
	return trim === "boolean" ? yield Boolean$1() : trim === "number" ? yield Number$1() : trim === "bigint" ? yield BigInt$1() : trim === "string" ? yield String$1() : yield (() => {
		const literals = trim.split("|").map((literal) => Literal(literal.trim()));
		return literals.length === 0 ? Never() : literals.length === 1 ? literals[0] : UnionEvaluated(literals);
	})();
}
function* FromTerminal(syntax) {
	if (syntax[1] !== "{") return yield* [Literal("$"), ...FromSyntax(syntax.slice(1))];
	for (let i = 2; i < syntax.length; i++) if (syntax[i] === "}") {
		const L = FromUnion$11(syntax.slice(2, i));
		const R = FromSyntax(syntax.slice(i + 1));
		return yield* [...L, ...R];
	}
	yield Literal(syntax);
}
function* FromSyntax(syntax) {
	for (let i = 0; i < syntax.length; i++) if (syntax[i] === "$") return yield* [Literal(syntax.slice(0, i)), ...FromTerminal(syntax.slice(i))];
	yield Literal(syntax);
}
/** Parses TemplateLiteralSyntax and returns a tuple of TemplateLiteralKinds */
function TemplateLiteralSyntax(syntax) {
	return [...FromSyntax(syntax)];
}
// node_modules/@sinclair/typebox/build/esm/type/template-literal/pattern.mjs
var TemplateLiteralPatternError = class extends TypeBoxError {};
function Escape(value) {
	return value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function Visit$4(schema, acc) {
	return IsTemplateLiteral$1(schema) ? schema.pattern.slice(1, schema.pattern.length - 1) : IsUnion$1(schema) ? `(${schema.anyOf.map((schema) => Visit$4(schema, acc)).join("|")})` : IsNumber$1(schema) ? `${acc}${PatternNumber}` : IsInteger$1(schema) ? `${acc}${PatternNumber}` : IsBigInt$1(schema) ? `${acc}${PatternNumber}` : IsString$1(schema) ? `${acc}${PatternString}` : IsLiteral$1(schema) ? `${acc}${Escape(schema.const.toString())}` : IsBoolean$1(schema) ? `${acc}${PatternBoolean}` : (() => {
		throw new TemplateLiteralPatternError(`Unexpected Kind '${schema[Kind]}'`);
	})();
}
function TemplateLiteralPattern(kinds) {
	return `^${kinds.map((schema) => Visit$4(schema, "")).join("")}\$`;
}
// node_modules/@sinclair/typebox/build/esm/type/template-literal/union.mjs
/** Returns a Union from the given TemplateLiteral */
function TemplateLiteralToUnion(schema) {
	return UnionEvaluated(TemplateLiteralGenerate(schema).map((S) => Literal(S)));
}
// node_modules/@sinclair/typebox/build/esm/type/template-literal/template-literal.mjs
/** `[Json]` Creates a TemplateLiteral type */
function TemplateLiteral(unresolved, options) {
	const pattern = IsString$3(unresolved) ? TemplateLiteralPattern(TemplateLiteralSyntax(unresolved)) : TemplateLiteralPattern(unresolved);
	return CreateType({
		[Kind]: "TemplateLiteral",
		type: "string",
		pattern
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/indexed/indexed-property-keys.mjs
function FromTemplateLiteral$4(templateLiteral) {
	return TemplateLiteralGenerate(templateLiteral).map((key) => key.toString());
}
function FromUnion$10(types) {
	const result = [];
	for (const type of types) result.push(...IndexPropertyKeys(type));
	return result;
}
function FromLiteral$3(literalValue) {
	return [literalValue.toString()];
}
/** Returns a tuple of PropertyKeys derived from the given TSchema */
function IndexPropertyKeys(type) {
	return [...new Set(IsTemplateLiteral$1(type) ? FromTemplateLiteral$4(type) : IsUnion$1(type) ? FromUnion$10(type.anyOf) : IsLiteral$1(type) ? FromLiteral$3(type.const) : IsNumber$1(type) ? ["[number]"] : IsInteger$1(type) ? ["[number]"] : [])];
}
// node_modules/@sinclair/typebox/build/esm/type/indexed/indexed-from-mapped-result.mjs
function FromProperties$18(type, properties, options) {
	const result = {};
	for (const K2 of Object.getOwnPropertyNames(properties)) result[K2] = Index$1(type, IndexPropertyKeys(properties[K2]), options);
	return result;
}
function FromMappedResult$11(type, mappedResult, options) {
	return FromProperties$18(type, mappedResult.properties, options);
}
function IndexFromMappedResult(type, mappedResult, options) {
	return MappedResult(FromMappedResult$11(type, mappedResult, options));
}
// node_modules/@sinclair/typebox/build/esm/type/indexed/indexed.mjs
function FromRest$6(types, key) {
	return types.map((type) => IndexFromPropertyKey(type, key));
}
function FromIntersectRest(types) {
	return types.filter((type) => !IsNever$1(type));
}
function FromIntersect$9(types, key) {
	return IntersectEvaluated(FromIntersectRest(FromRest$6(types, key)));
}
function FromUnionRest(types) {
	return types.some((L) => IsNever$1(L)) ? [] : types;
}
function FromUnion$9(types, key) {
	return UnionEvaluated(FromUnionRest(FromRest$6(types, key)));
}
function FromTuple$6(types, key) {
	return key in types ? types[key] : key === "[number]" ? UnionEvaluated(types) : Never();
}
function FromArray$7(type, key) {
	return key === "[number]" ? type : Never();
}
function FromProperty$2(properties, propertyKey) {
	return propertyKey in properties ? properties[propertyKey] : Never();
}
function IndexFromPropertyKey(type, propertyKey) {
	return IsIntersect$1(type) ? FromIntersect$9(type.allOf, propertyKey) : IsUnion$1(type) ? FromUnion$9(type.anyOf, propertyKey) : IsTuple$1(type) ? FromTuple$6(type.items ?? [], propertyKey) : IsArray$1(type) ? FromArray$7(type.items, propertyKey) : IsObject$1(type) ? FromProperty$2(type.properties, propertyKey) : Never();
}
function IndexFromPropertyKeys(type, propertyKeys) {
	return propertyKeys.map((propertyKey) => IndexFromPropertyKey(type, propertyKey));
}
function FromSchema(type, propertyKeys) {
	return UnionEvaluated(IndexFromPropertyKeys(type, propertyKeys));
}
/** `[Json]` Returns an Indexed property type for the given keys */
function Index$1(type, key, options) {
	if (IsRef$1(type) || IsRef$1(key)) {
		const error = `Index types using Ref parameters require both Type and Key to be of TSchema`;
		if (!IsSchema$1(type) || !IsSchema$1(key)) throw new TypeBoxError(error);
		return Computed("Index", [type, key]);
	}
	if (IsMappedResult$1(key)) return IndexFromMappedResult(type, key, options);
	if (IsMappedKey$1(key)) return IndexFromMappedKey(type, key, options);
	return CreateType(IsSchema$1(key) ? FromSchema(type, IndexPropertyKeys(key)) : FromSchema(type, key), options);
}
// node_modules/@sinclair/typebox/build/esm/type/indexed/indexed-from-mapped-key.mjs
function MappedIndexPropertyKey(type, key, options) {
	return { [key]: Index$1(type, [key], Clone(options)) };
}
function MappedIndexPropertyKeys(type, propertyKeys, options) {
	return propertyKeys.reduce((result, left) => {
		return {
			...result,
			...MappedIndexPropertyKey(type, left, options)
		};
	}, {});
}
function MappedIndexProperties(type, mappedKey, options) {
	return MappedIndexPropertyKeys(type, mappedKey.keys, options);
}
function IndexFromMappedKey(type, mappedKey, options) {
	return MappedResult(MappedIndexProperties(type, mappedKey, options));
}
// node_modules/@sinclair/typebox/build/esm/type/iterator/iterator.mjs
/** `[JavaScript]` Creates an Iterator type */
function Iterator(items, options) {
	return CreateType({
		[Kind]: "Iterator",
		type: "Iterator",
		items
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/object/object.mjs
/** Creates a RequiredArray derived from the given TProperties value. */
function RequiredArray(properties) {
	return globalThis.Object.keys(properties).filter((key) => !IsOptional$1(properties[key]));
}
/** `[Json]` Creates an Object type */
function _Object_(properties, options) {
	const required = RequiredArray(properties);
	return CreateType(required.length > 0 ? {
		[Kind]: "Object",
		type: "object",
		required,
		properties
	} : {
		[Kind]: "Object",
		type: "object",
		properties
	}, options);
}
/** `[Json]` Creates an Object type */
var Object$1 = _Object_;
// node_modules/@sinclair/typebox/build/esm/type/promise/promise.mjs
/** `[JavaScript]` Creates a Promise type */
function Promise$1(item, options) {
	return CreateType({
		[Kind]: "Promise",
		type: "Promise",
		item
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/readonly/readonly.mjs
function RemoveReadonly(schema) {
	return CreateType(Discard(schema, [ReadonlyKind]));
}
function AddReadonly(schema) {
	return CreateType({
		...schema,
		[ReadonlyKind]: "Readonly"
	});
}
function ReadonlyWithFlag(schema, F) {
	return F === false ? RemoveReadonly(schema) : AddReadonly(schema);
}
/** `[Json]` Creates a Readonly property */
function Readonly(schema, enable) {
	const F = enable ?? true;
	return IsMappedResult$1(schema) ? ReadonlyFromMappedResult(schema, F) : ReadonlyWithFlag(schema, F);
}
// node_modules/@sinclair/typebox/build/esm/type/readonly/readonly-from-mapped-result.mjs
function FromProperties$17(K, F) {
	const Acc = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(K)) Acc[K2] = Readonly(K[K2], F);
	return Acc;
}
function FromMappedResult$10(R, F) {
	return FromProperties$17(R.properties, F);
}
function ReadonlyFromMappedResult(R, F) {
	return MappedResult(FromMappedResult$10(R, F));
}
// node_modules/@sinclair/typebox/build/esm/type/tuple/tuple.mjs
/** `[Json]` Creates a Tuple type */
function Tuple(types, options) {
	return CreateType(types.length > 0 ? {
		[Kind]: "Tuple",
		type: "array",
		items: types,
		additionalItems: false,
		minItems: types.length,
		maxItems: types.length
	} : {
		[Kind]: "Tuple",
		type: "array",
		minItems: types.length,
		maxItems: types.length
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/mapped/mapped.mjs
function FromMappedResult$9(K, P) {
	return K in P ? FromSchemaType(K, P[K]) : MappedResult(P);
}
function MappedKeyToKnownMappedResultProperties(K) {
	return { [K]: Literal(K) };
}
function MappedKeyToUnknownMappedResultProperties(P) {
	const Acc = {};
	for (const L of P) Acc[L] = Literal(L);
	return Acc;
}
function MappedKeyToMappedResultProperties(K, P) {
	return SetIncludes(P, K) ? MappedKeyToKnownMappedResultProperties(K) : MappedKeyToUnknownMappedResultProperties(P);
}
function FromMappedKey$3(K, P) {
	return FromMappedResult$9(K, MappedKeyToMappedResultProperties(K, P));
}
function FromRest$5(K, T) {
	return T.map((L) => FromSchemaType(K, L));
}
function FromProperties$16(K, T) {
	const Acc = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(T)) Acc[K2] = FromSchemaType(K, T[K2]);
	return Acc;
}
function FromSchemaType(K, T) {
	const options = { ...T };
	return IsOptional$1(T) ? Optional(FromSchemaType(K, Discard(T, [OptionalKind]))) : IsReadonly(T) ? Readonly(FromSchemaType(K, Discard(T, [ReadonlyKind]))) : IsMappedResult$1(T) ? FromMappedResult$9(K, T.properties) : IsMappedKey$1(T) ? FromMappedKey$3(K, T.keys) : IsConstructor$1(T) ? Constructor(FromRest$5(K, T.parameters), FromSchemaType(K, T.returns), options) : IsFunction$1(T) ? Function(FromRest$5(K, T.parameters), FromSchemaType(K, T.returns), options) : IsAsyncIterator$1(T) ? AsyncIterator(FromSchemaType(K, T.items), options) : IsIterator$1(T) ? Iterator(FromSchemaType(K, T.items), options) : IsIntersect$1(T) ? Intersect$1(FromRest$5(K, T.allOf), options) : IsUnion$1(T) ? Union$1(FromRest$5(K, T.anyOf), options) : IsTuple$1(T) ? Tuple(FromRest$5(K, T.items ?? []), options) : IsObject$1(T) ? Object$1(FromProperties$16(K, T.properties), options) : IsArray$1(T) ? Array$1(FromSchemaType(K, T.items), options) : IsPromise$1(T) ? Promise$1(FromSchemaType(K, T.item), options) : T;
}
function MappedFunctionReturnType(K, T) {
	const Acc = {};
	for (const L of K) Acc[L] = FromSchemaType(L, T);
	return Acc;
}
/** `[Json]` Creates a Mapped object type */
function Mapped(key, map, options) {
	const K = IsSchema$1(key) ? IndexPropertyKeys(key) : key;
	return Object$1(MappedFunctionReturnType(K, map({
		[Kind]: "MappedKey",
		keys: K
	})), options);
}
// node_modules/@sinclair/typebox/build/esm/type/optional/optional.mjs
function RemoveOptional(schema) {
	return CreateType(Discard(schema, [OptionalKind]));
}
function AddOptional(schema) {
	return CreateType({
		...schema,
		[OptionalKind]: "Optional"
	});
}
function OptionalWithFlag(schema, F) {
	return F === false ? RemoveOptional(schema) : AddOptional(schema);
}
/** `[Json]` Creates a Optional property */
function Optional(schema, enable) {
	const F = enable ?? true;
	return IsMappedResult$1(schema) ? OptionalFromMappedResult(schema, F) : OptionalWithFlag(schema, F);
}
// node_modules/@sinclair/typebox/build/esm/type/optional/optional-from-mapped-result.mjs
function FromProperties$15(P, F) {
	const Acc = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(P)) Acc[K2] = Optional(P[K2], F);
	return Acc;
}
function FromMappedResult$8(R, F) {
	return FromProperties$15(R.properties, F);
}
function OptionalFromMappedResult(R, F) {
	return MappedResult(FromMappedResult$8(R, F));
}
// node_modules/@sinclair/typebox/build/esm/type/intersect/intersect-create.mjs
function IntersectCreate(T, options = {}) {
	const allObjects = T.every((schema) => IsObject$1(schema));
	const clonedUnevaluatedProperties = IsSchema$1(options.unevaluatedProperties) ? { unevaluatedProperties: options.unevaluatedProperties } : {};
	return CreateType(options.unevaluatedProperties === false || IsSchema$1(options.unevaluatedProperties) || allObjects ? {
		...clonedUnevaluatedProperties,
		[Kind]: "Intersect",
		type: "object",
		allOf: T
	} : {
		...clonedUnevaluatedProperties,
		[Kind]: "Intersect",
		allOf: T
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/intersect/intersect-evaluated.mjs
function IsIntersectOptional(types) {
	return types.every((left) => IsOptional$1(left));
}
function RemoveOptionalFromType(type) {
	return Discard(type, [OptionalKind]);
}
function RemoveOptionalFromRest(types) {
	return types.map((left) => IsOptional$1(left) ? RemoveOptionalFromType(left) : left);
}
function ResolveIntersect(types, options) {
	return IsIntersectOptional(types) ? Optional(IntersectCreate(RemoveOptionalFromRest(types), options)) : IntersectCreate(RemoveOptionalFromRest(types), options);
}
/** `[Json]` Creates an evaluated Intersect type */
function IntersectEvaluated(types, options = {}) {
	if (types.length === 1) return CreateType(types[0], options);
	if (types.length === 0) return Never(options);
	if (types.some((schema) => IsTransform$1(schema))) throw new Error("Cannot intersect transform types");
	return ResolveIntersect(types, options);
}
// node_modules/@sinclair/typebox/build/esm/type/intersect/intersect.mjs
/** `[Json]` Creates an evaluated Intersect type */
function Intersect$1(types, options) {
	if (types.length === 1) return CreateType(types[0], options);
	if (types.length === 0) return Never(options);
	if (types.some((schema) => IsTransform$1(schema))) throw new Error("Cannot intersect transform types");
	return IntersectCreate(types, options);
}
// node_modules/@sinclair/typebox/build/esm/type/ref/ref.mjs
/** `[Json]` Creates a Ref type. The referenced type must contain a $id */
function Ref(...args) {
	const [$ref, options] = typeof args[0] === "string" ? [args[0], args[1]] : [args[0].$id, args[1]];
	if (typeof $ref !== "string") throw new TypeBoxError("Ref: $ref must be a string");
	return CreateType({
		[Kind]: "Ref",
		$ref
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/awaited/awaited.mjs
function FromComputed$4(target, parameters) {
	return Computed("Awaited", [Computed(target, parameters)]);
}
function FromRef$5($ref) {
	return Computed("Awaited", [Ref($ref)]);
}
function FromIntersect$8(types) {
	return Intersect$1(FromRest$4(types));
}
function FromUnion$8(types) {
	return Union$1(FromRest$4(types));
}
function FromPromise$4(type) {
	return Awaited(type);
}
function FromRest$4(types) {
	return types.map((type) => Awaited(type));
}
/** `[JavaScript]` Constructs a type by recursively unwrapping Promise types */
function Awaited(type, options) {
	return CreateType(IsComputed$1(type) ? FromComputed$4(type.target, type.parameters) : IsIntersect$1(type) ? FromIntersect$8(type.allOf) : IsUnion$1(type) ? FromUnion$8(type.anyOf) : IsPromise$1(type) ? FromPromise$4(type.item) : IsRef$1(type) ? FromRef$5(type.$ref) : type, options);
}
// node_modules/@sinclair/typebox/build/esm/type/keyof/keyof-property-keys.mjs
function FromRest$3(types) {
	const result = [];
	for (const L of types) result.push(KeyOfPropertyKeys(L));
	return result;
}
function FromIntersect$7(types) {
	return SetUnionMany(FromRest$3(types));
}
function FromUnion$7(types) {
	return SetIntersectMany(FromRest$3(types));
}
function FromTuple$5(types) {
	return types.map((_, indexer) => indexer.toString());
}
function FromArray$6(_) {
	return ["[number]"];
}
function FromProperties$14(T) {
	return globalThis.Object.getOwnPropertyNames(T);
}
function FromPatternProperties(patternProperties) {
	if (!includePatternProperties) return [];
	return globalThis.Object.getOwnPropertyNames(patternProperties).map((key) => {
		return key[0] === "^" && key[key.length - 1] === "$" ? key.slice(1, key.length - 1) : key;
	});
}
/** Returns a tuple of PropertyKeys derived from the given TSchema. */
function KeyOfPropertyKeys(type) {
	return IsIntersect$1(type) ? FromIntersect$7(type.allOf) : IsUnion$1(type) ? FromUnion$7(type.anyOf) : IsTuple$1(type) ? FromTuple$5(type.items ?? []) : IsArray$1(type) ? FromArray$6(type.items) : IsObject$1(type) ? FromProperties$14(type.properties) : IsRecord$1(type) ? FromPatternProperties(type.patternProperties) : [];
}
let includePatternProperties = false;
/** Returns a regular expression pattern derived from the given TSchema */
function KeyOfPattern(schema) {
	includePatternProperties = true;
	const keys = KeyOfPropertyKeys(schema);
	includePatternProperties = false;
	return `^(${keys.map((key) => `(${key})`).join("|")})$`;
}
// node_modules/@sinclair/typebox/build/esm/type/keyof/keyof.mjs
function FromComputed$3(target, parameters) {
	return Computed("KeyOf", [Computed(target, parameters)]);
}
function FromRef$4($ref) {
	return Computed("KeyOf", [Ref($ref)]);
}
function KeyOfFromType(type, options) {
	return CreateType(UnionEvaluated(KeyOfPropertyKeysToRest(KeyOfPropertyKeys(type))), options);
}
function KeyOfPropertyKeysToRest(propertyKeys) {
	return propertyKeys.map((L) => L === "[number]" ? Number$1() : Literal(L));
}
/** `[Json]` Creates a KeyOf type */
function KeyOf(type, options) {
	return IsComputed$1(type) ? FromComputed$3(type.target, type.parameters) : IsRef$1(type) ? FromRef$4(type.$ref) : IsMappedResult$1(type) ? KeyOfFromMappedResult(type, options) : KeyOfFromType(type, options);
}
// node_modules/@sinclair/typebox/build/esm/type/keyof/keyof-from-mapped-result.mjs
function FromProperties$13(properties, options) {
	const result = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(properties)) result[K2] = KeyOf(properties[K2], Clone(options));
	return result;
}
function FromMappedResult$7(mappedResult, options) {
	return FromProperties$13(mappedResult.properties, options);
}
function KeyOfFromMappedResult(mappedResult, options) {
	return MappedResult(FromMappedResult$7(mappedResult, options));
}
// node_modules/@sinclair/typebox/build/esm/type/composite/composite.mjs
function CompositeKeys(T) {
	const Acc = [];
	for (const L of T) Acc.push(...KeyOfPropertyKeys(L));
	return SetDistinct(Acc);
}
function FilterNever(T) {
	return T.filter((L) => !IsNever$1(L));
}
function CompositeProperty(T, K) {
	const Acc = [];
	for (const L of T) Acc.push(...IndexFromPropertyKeys(L, [K]));
	return FilterNever(Acc);
}
function CompositeProperties(T, K) {
	const Acc = {};
	for (const L of K) Acc[L] = IntersectEvaluated(CompositeProperty(T, L));
	return Acc;
}
function Composite(T, options) {
	return Object$1(CompositeProperties(T, CompositeKeys(T)), options);
}
// node_modules/@sinclair/typebox/build/esm/type/date/date.mjs
/** `[JavaScript]` Creates a Date type */
function Date$1(options) {
	return CreateType({
		[Kind]: "Date",
		type: "Date"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/null/null.mjs
/** `[Json]` Creates a Null type */
function Null(options) {
	return CreateType({
		[Kind]: "Null",
		type: "null"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/symbol/symbol.mjs
/** `[JavaScript]` Creates a Symbol type */
function Symbol$1(options) {
	return CreateType({
		[Kind]: "Symbol",
		type: "symbol"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/undefined/undefined.mjs
/** `[JavaScript]` Creates a Undefined type */
function Undefined(options) {
	return CreateType({
		[Kind]: "Undefined",
		type: "undefined"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/uint8array/uint8array.mjs
/** `[JavaScript]` Creates a Uint8Array type */
function Uint8Array$1(options) {
	return CreateType({
		[Kind]: "Uint8Array",
		type: "Uint8Array"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/unknown/unknown.mjs
/** `[Json]` Creates an Unknown type */
function Unknown(options) {
	return CreateType({ [Kind]: "Unknown" }, options);
}
// node_modules/@sinclair/typebox/build/esm/type/const/const.mjs
function FromArray$5(T) {
	return T.map((L) => FromValue(L, false));
}
function FromProperties$12(value) {
	const Acc = {};
	for (const K of globalThis.Object.getOwnPropertyNames(value)) Acc[K] = Readonly(FromValue(value[K], false));
	return Acc;
}
function ConditionalReadonly(T, root) {
	return root === true ? T : Readonly(T);
}
function FromValue(value, root) {
	return IsAsyncIterator$3(value) ? ConditionalReadonly(Any(), root) : IsIterator$3(value) ? ConditionalReadonly(Any(), root) : IsArray$3(value) ? Readonly(Tuple(FromArray$5(value))) : IsUint8Array$3(value) ? Uint8Array$1() : IsDate$3(value) ? Date$1() : IsObject$3(value) ? ConditionalReadonly(Object$1(FromProperties$12(value)), root) : IsFunction$3(value) ? ConditionalReadonly(Function([], Unknown()), root) : IsUndefined$3(value) ? Undefined() : IsNull$3(value) ? Null() : IsSymbol$3(value) ? Symbol$1() : IsBigInt$3(value) ? BigInt$1() : IsNumber$3(value) ? Literal(value) : IsBoolean$3(value) ? Literal(value) : IsString$3(value) ? Literal(value) : Object$1({});
}
/** `[JavaScript]` Creates a readonly const type from the given value. */
function Const(T, options) {
	return CreateType(FromValue(T, true), options);
}
// node_modules/@sinclair/typebox/build/esm/type/constructor-parameters/constructor-parameters.mjs
/** `[JavaScript]` Extracts the ConstructorParameters from the given Constructor type */
function ConstructorParameters(schema, options) {
	return IsConstructor$1(schema) ? Tuple(schema.parameters, options) : Never(options);
}
// node_modules/@sinclair/typebox/build/esm/type/enum/enum.mjs
/** `[Json]` Creates a Enum type */
function Enum(item, options) {
	if (IsUndefined$3(item)) throw new Error("Enum undefined or empty");
	const values1 = globalThis.Object.getOwnPropertyNames(item).filter((key) => isNaN(key)).map((key) => item[key]);
	return Union$1([...new Set(values1)].map((value) => Literal(value)), {
		...options,
		[Hint]: "Enum"
	});
}
// node_modules/@sinclair/typebox/build/esm/type/extends/extends-check.mjs
var ExtendsResolverError = class extends TypeBoxError {};
var ExtendsResult;
(function(ExtendsResult) {
	ExtendsResult[ExtendsResult["Union"] = 0] = "Union";
	ExtendsResult[ExtendsResult["True"] = 1] = "True";
	ExtendsResult[ExtendsResult["False"] = 2] = "False";
})(ExtendsResult || (ExtendsResult = {}));
function IntoBooleanResult(result) {
	return result === ExtendsResult.False ? result : ExtendsResult.True;
}
function Throw(message) {
	throw new ExtendsResolverError(message);
}
function IsStructuralRight(right) {
	return IsNever(right) || IsIntersect(right) || IsUnion(right) || IsUnknown(right) || IsAny(right);
}
function StructuralRight(left, right) {
	return IsNever(right) ? FromNeverRight(left, right) : IsIntersect(right) ? FromIntersectRight(left, right) : IsUnion(right) ? FromUnionRight(left, right) : IsUnknown(right) ? FromUnknownRight(left, right) : IsAny(right) ? FromAnyRight(left, right) : Throw("StructuralRight");
}
function FromAnyRight(left, right) {
	return ExtendsResult.True;
}
function FromAny$2(left, right) {
	return IsIntersect(right) ? FromIntersectRight(left, right) : IsUnion(right) && right.anyOf.some((schema) => IsAny(schema) || IsUnknown(schema)) ? ExtendsResult.True : IsUnion(right) ? ExtendsResult.Union : IsUnknown(right) ? ExtendsResult.True : IsAny(right) ? ExtendsResult.True : ExtendsResult.Union;
}
function FromArrayRight(left, right) {
	return IsUnknown(left) ? ExtendsResult.False : IsAny(left) ? ExtendsResult.Union : IsNever(left) ? ExtendsResult.True : ExtendsResult.False;
}
function FromArray$4(left, right) {
	return IsObject(right) && IsObjectArrayLike(right) ? ExtendsResult.True : IsStructuralRight(right) ? StructuralRight(left, right) : !IsArray(right) ? ExtendsResult.False : IntoBooleanResult(Visit$3(left.items, right.items));
}
function FromAsyncIterator$4(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : !IsAsyncIterator(right) ? ExtendsResult.False : IntoBooleanResult(Visit$3(left.items, right.items));
}
function FromBigInt$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsBigInt(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromBooleanRight(left, right) {
	return IsLiteralBoolean(left) ? ExtendsResult.True : IsBoolean(left) ? ExtendsResult.True : ExtendsResult.False;
}
function FromBoolean$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsBoolean(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromConstructor$4(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : !IsConstructor(right) ? ExtendsResult.False : left.parameters.length > right.parameters.length ? ExtendsResult.False : !left.parameters.every((schema, index) => IntoBooleanResult(Visit$3(right.parameters[index], schema)) === ExtendsResult.True) ? ExtendsResult.False : IntoBooleanResult(Visit$3(left.returns, right.returns));
}
function FromDate$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsDate(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromFunction$4(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : !IsFunction(right) ? ExtendsResult.False : left.parameters.length > right.parameters.length ? ExtendsResult.False : !left.parameters.every((schema, index) => IntoBooleanResult(Visit$3(right.parameters[index], schema)) === ExtendsResult.True) ? ExtendsResult.False : IntoBooleanResult(Visit$3(left.returns, right.returns));
}
function FromIntegerRight(left, right) {
	return IsLiteral(left) && IsNumber$3(left.const) ? ExtendsResult.True : IsNumber(left) || IsInteger(left) ? ExtendsResult.True : ExtendsResult.False;
}
function FromInteger$2(left, right) {
	return IsInteger(right) || IsNumber(right) ? ExtendsResult.True : IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : ExtendsResult.False;
}
function FromIntersectRight(left, right) {
	return right.allOf.every((schema) => Visit$3(left, schema) === ExtendsResult.True) ? ExtendsResult.True : ExtendsResult.False;
}
function FromIntersect$6(left, right) {
	return left.allOf.some((schema) => Visit$3(schema, right) === ExtendsResult.True) ? ExtendsResult.True : ExtendsResult.False;
}
function FromIterator$4(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : !IsIterator(right) ? ExtendsResult.False : IntoBooleanResult(Visit$3(left.items, right.items));
}
function FromLiteral$2(left, right) {
	return IsLiteral(right) && right.const === left.const ? ExtendsResult.True : IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsString(right) ? FromStringRight(left, right) : IsNumber(right) ? FromNumberRight(left, right) : IsInteger(right) ? FromIntegerRight(left, right) : IsBoolean(right) ? FromBooleanRight(left, right) : ExtendsResult.False;
}
function FromNeverRight(left, right) {
	return ExtendsResult.False;
}
function FromNever$2(left, right) {
	return ExtendsResult.True;
}
function UnwrapTNot(schema) {
	let [current, depth] = [schema, 0];
	while (true) {
		if (!IsNot(current)) break;
		current = current.not;
		depth += 1;
	}
	return depth % 2 === 0 ? current : Unknown();
}
function FromNot$2(left, right) {
	return IsNot(left) ? Visit$3(UnwrapTNot(left), right) : IsNot(right) ? Visit$3(left, UnwrapTNot(right)) : Throw("Invalid fallthrough for Not");
}
function FromNull$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsNull(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromNumberRight(left, right) {
	return IsLiteralNumber(left) ? ExtendsResult.True : IsNumber(left) || IsInteger(left) ? ExtendsResult.True : ExtendsResult.False;
}
function FromNumber$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsInteger(right) || IsNumber(right) ? ExtendsResult.True : ExtendsResult.False;
}
function IsObjectPropertyCount(schema, count) {
	return Object.getOwnPropertyNames(schema.properties).length === count;
}
function IsObjectStringLike(schema) {
	return IsObjectArrayLike(schema);
}
function IsObjectSymbolLike(schema) {
	return IsObjectPropertyCount(schema, 0) || IsObjectPropertyCount(schema, 1) && "description" in schema.properties && IsUnion(schema.properties.description) && schema.properties.description.anyOf.length === 2 && (IsString(schema.properties.description.anyOf[0]) && IsUndefined(schema.properties.description.anyOf[1]) || IsString(schema.properties.description.anyOf[1]) && IsUndefined(schema.properties.description.anyOf[0]));
}
function IsObjectNumberLike(schema) {
	return IsObjectPropertyCount(schema, 0);
}
function IsObjectBooleanLike(schema) {
	return IsObjectPropertyCount(schema, 0);
}
function IsObjectBigIntLike(schema) {
	return IsObjectPropertyCount(schema, 0);
}
function IsObjectDateLike(schema) {
	return IsObjectPropertyCount(schema, 0);
}
function IsObjectUint8ArrayLike(schema) {
	return IsObjectArrayLike(schema);
}
function IsObjectFunctionLike(schema) {
	const length = Number$1();
	return IsObjectPropertyCount(schema, 0) || IsObjectPropertyCount(schema, 1) && "length" in schema.properties && IntoBooleanResult(Visit$3(schema.properties["length"], length)) === ExtendsResult.True;
}
function IsObjectConstructorLike(schema) {
	return IsObjectPropertyCount(schema, 0);
}
function IsObjectArrayLike(schema) {
	const length = Number$1();
	return IsObjectPropertyCount(schema, 0) || IsObjectPropertyCount(schema, 1) && "length" in schema.properties && IntoBooleanResult(Visit$3(schema.properties["length"], length)) === ExtendsResult.True;
}
function IsObjectPromiseLike(schema) {
	const then = Function([Any()], Any());
	return IsObjectPropertyCount(schema, 0) || IsObjectPropertyCount(schema, 1) && "then" in schema.properties && IntoBooleanResult(Visit$3(schema.properties["then"], then)) === ExtendsResult.True;
}
function Property(left, right) {
	return Visit$3(left, right) === ExtendsResult.False ? ExtendsResult.False : IsOptional(left) && !IsOptional(right) ? ExtendsResult.False : ExtendsResult.True;
}
function FromObjectRight(left, right) {
	return IsUnknown(left) ? ExtendsResult.False : IsAny(left) ? ExtendsResult.Union : IsNever(left) || IsLiteralString(left) && IsObjectStringLike(right) || IsLiteralNumber(left) && IsObjectNumberLike(right) || IsLiteralBoolean(left) && IsObjectBooleanLike(right) || IsSymbol(left) && IsObjectSymbolLike(right) || IsBigInt(left) && IsObjectBigIntLike(right) || IsString(left) && IsObjectStringLike(right) || IsSymbol(left) && IsObjectSymbolLike(right) || IsNumber(left) && IsObjectNumberLike(right) || IsInteger(left) && IsObjectNumberLike(right) || IsBoolean(left) && IsObjectBooleanLike(right) || IsUint8Array(left) && IsObjectUint8ArrayLike(right) || IsDate(left) && IsObjectDateLike(right) || IsConstructor(left) && IsObjectConstructorLike(right) || IsFunction(left) && IsObjectFunctionLike(right) ? ExtendsResult.True : IsRecord(left) && IsString(RecordKey$1(left)) ? (() => {
		return right[Hint] === "Record" ? ExtendsResult.True : ExtendsResult.False;
	})() : IsRecord(left) && IsNumber(RecordKey$1(left)) ? (() => {
		return IsObjectPropertyCount(right, 0) ? ExtendsResult.True : ExtendsResult.False;
	})() : ExtendsResult.False;
}
function FromObject$8(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : !IsObject(right) ? ExtendsResult.False : (() => {
		for (const key of Object.getOwnPropertyNames(right.properties)) {
			if (!(key in left.properties) && !IsOptional(right.properties[key])) return ExtendsResult.False;
			if (IsOptional(right.properties[key])) return ExtendsResult.True;
			if (Property(left.properties[key], right.properties[key]) === ExtendsResult.False) return ExtendsResult.False;
		}
		return ExtendsResult.True;
	})();
}
function FromPromise$3(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) && IsObjectPromiseLike(right) ? ExtendsResult.True : !IsPromise(right) ? ExtendsResult.False : IntoBooleanResult(Visit$3(left.item, right.item));
}
function RecordKey$1(schema) {
	return "^(0|[1-9][0-9]*)$" in schema.patternProperties ? Number$1() : "^(.*)$" in schema.patternProperties ? String$1() : Throw("Unknown record key pattern");
}
function RecordValue$1(schema) {
	return "^(0|[1-9][0-9]*)$" in schema.patternProperties ? schema.patternProperties[PatternNumberExact] : "^(.*)$" in schema.patternProperties ? schema.patternProperties[PatternStringExact] : Throw("Unable to get record value schema");
}
function FromRecordRight(left, right) {
	const [Key, Value] = [RecordKey$1(right), RecordValue$1(right)];
	return IsLiteralString(left) && IsNumber(Key) && IntoBooleanResult(Visit$3(left, Value)) === ExtendsResult.True ? ExtendsResult.True : IsUint8Array(left) && IsNumber(Key) ? Visit$3(left, Value) : IsString(left) && IsNumber(Key) ? Visit$3(left, Value) : IsArray(left) && IsNumber(Key) ? Visit$3(left, Value) : IsObject(left) ? (() => {
		for (const key of Object.getOwnPropertyNames(left.properties)) if (Property(Value, left.properties[key]) === ExtendsResult.False) return ExtendsResult.False;
		return ExtendsResult.True;
	})() : ExtendsResult.False;
}
function FromRecord$4(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : !IsRecord(right) ? ExtendsResult.False : Visit$3(RecordValue$1(left), RecordValue$1(right));
}
function FromRegExp$2(left, right) {
	return Visit$3(IsRegExp(left) ? String$1() : left, IsRegExp(right) ? String$1() : right);
}
function FromStringRight(left, right) {
	return IsLiteral(left) && IsString$3(left.const) ? ExtendsResult.True : IsString(left) ? ExtendsResult.True : ExtendsResult.False;
}
function FromString$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsString(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromSymbol$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsSymbol(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromTemplateLiteral$3(left, right) {
	return IsTemplateLiteral(left) ? Visit$3(TemplateLiteralToUnion(left), right) : IsTemplateLiteral(right) ? Visit$3(left, TemplateLiteralToUnion(right)) : Throw("Invalid fallthrough for TemplateLiteral");
}
function IsArrayOfTuple(left, right) {
	return IsArray(right) && left.items !== void 0 && left.items.every((schema) => Visit$3(schema, right.items) === ExtendsResult.True);
}
function FromTupleRight(left, right) {
	return IsNever(left) ? ExtendsResult.True : IsUnknown(left) ? ExtendsResult.False : IsAny(left) ? ExtendsResult.Union : ExtendsResult.False;
}
function FromTuple$4(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) && IsObjectArrayLike(right) ? ExtendsResult.True : IsArray(right) && IsArrayOfTuple(left, right) ? ExtendsResult.True : !IsTuple(right) ? ExtendsResult.False : IsUndefined$3(left.items) && !IsUndefined$3(right.items) || !IsUndefined$3(left.items) && IsUndefined$3(right.items) ? ExtendsResult.False : IsUndefined$3(left.items) && !IsUndefined$3(right.items) ? ExtendsResult.True : left.items.every((schema, index) => Visit$3(schema, right.items[index]) === ExtendsResult.True) ? ExtendsResult.True : ExtendsResult.False;
}
function FromUint8Array$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsUint8Array(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromUndefined$2(left, right) {
	return IsStructuralRight(right) ? StructuralRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsRecord(right) ? FromRecordRight(left, right) : IsVoid(right) ? FromVoidRight(left, right) : IsUndefined(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromUnionRight(left, right) {
	return right.anyOf.some((schema) => Visit$3(left, schema) === ExtendsResult.True) ? ExtendsResult.True : ExtendsResult.False;
}
function FromUnion$6(left, right) {
	return left.anyOf.every((schema) => Visit$3(schema, right) === ExtendsResult.True) ? ExtendsResult.True : ExtendsResult.False;
}
function FromUnknownRight(left, right) {
	return ExtendsResult.True;
}
function FromUnknown$2(left, right) {
	return IsNever(right) ? FromNeverRight(left, right) : IsIntersect(right) ? FromIntersectRight(left, right) : IsUnion(right) ? FromUnionRight(left, right) : IsAny(right) ? FromAnyRight(left, right) : IsString(right) ? FromStringRight(left, right) : IsNumber(right) ? FromNumberRight(left, right) : IsInteger(right) ? FromIntegerRight(left, right) : IsBoolean(right) ? FromBooleanRight(left, right) : IsArray(right) ? FromArrayRight(left, right) : IsTuple(right) ? FromTupleRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsUnknown(right) ? ExtendsResult.True : ExtendsResult.False;
}
function FromVoidRight(left, right) {
	return IsUndefined(left) ? ExtendsResult.True : IsUndefined(left) ? ExtendsResult.True : ExtendsResult.False;
}
function FromVoid$2(left, right) {
	return IsIntersect(right) ? FromIntersectRight(left, right) : IsUnion(right) ? FromUnionRight(left, right) : IsUnknown(right) ? FromUnknownRight(left, right) : IsAny(right) ? FromAnyRight(left, right) : IsObject(right) ? FromObjectRight(left, right) : IsVoid(right) ? ExtendsResult.True : ExtendsResult.False;
}
function Visit$3(left, right) {
	return IsTemplateLiteral(left) || IsTemplateLiteral(right) ? FromTemplateLiteral$3(left, right) : IsRegExp(left) || IsRegExp(right) ? FromRegExp$2(left, right) : IsNot(left) || IsNot(right) ? FromNot$2(left, right) : IsAny(left) ? FromAny$2(left, right) : IsArray(left) ? FromArray$4(left, right) : IsBigInt(left) ? FromBigInt$2(left, right) : IsBoolean(left) ? FromBoolean$2(left, right) : IsAsyncIterator(left) ? FromAsyncIterator$4(left, right) : IsConstructor(left) ? FromConstructor$4(left, right) : IsDate(left) ? FromDate$2(left, right) : IsFunction(left) ? FromFunction$4(left, right) : IsInteger(left) ? FromInteger$2(left, right) : IsIntersect(left) ? FromIntersect$6(left, right) : IsIterator(left) ? FromIterator$4(left, right) : IsLiteral(left) ? FromLiteral$2(left, right) : IsNever(left) ? FromNever$2(left, right) : IsNull(left) ? FromNull$2(left, right) : IsNumber(left) ? FromNumber$2(left, right) : IsObject(left) ? FromObject$8(left, right) : IsRecord(left) ? FromRecord$4(left, right) : IsString(left) ? FromString$2(left, right) : IsSymbol(left) ? FromSymbol$2(left, right) : IsTuple(left) ? FromTuple$4(left, right) : IsPromise(left) ? FromPromise$3(left, right) : IsUint8Array(left) ? FromUint8Array$2(left, right) : IsUndefined(left) ? FromUndefined$2(left, right) : IsUnion(left) ? FromUnion$6(left, right) : IsUnknown(left) ? FromUnknown$2(left, right) : IsVoid(left) ? FromVoid$2(left, right) : Throw(`Unknown left type operand '${left[Kind]}'`);
}
function ExtendsCheck(left, right) {
	return Visit$3(left, right);
}
// node_modules/@sinclair/typebox/build/esm/type/extends/extends-from-mapped-result.mjs
function FromProperties$11(P, Right, True, False, options) {
	const Acc = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(P)) Acc[K2] = Extends(P[K2], Right, True, False, Clone(options));
	return Acc;
}
function FromMappedResult$6(Left, Right, True, False, options) {
	return FromProperties$11(Left.properties, Right, True, False, options);
}
function ExtendsFromMappedResult(Left, Right, True, False, options) {
	return MappedResult(FromMappedResult$6(Left, Right, True, False, options));
}
// node_modules/@sinclair/typebox/build/esm/type/extends/extends.mjs
function ExtendsResolve(left, right, trueType, falseType) {
	const R = ExtendsCheck(left, right);
	return R === ExtendsResult.Union ? Union$1([trueType, falseType]) : R === ExtendsResult.True ? trueType : falseType;
}
/** `[Json]` Creates a Conditional type */
function Extends(L, R, T, F, options) {
	return IsMappedResult$1(L) ? ExtendsFromMappedResult(L, R, T, F, options) : IsMappedKey$1(L) ? CreateType(ExtendsFromMappedKey(L, R, T, F, options)) : CreateType(ExtendsResolve(L, R, T, F), options);
}
// node_modules/@sinclair/typebox/build/esm/type/extends/extends-from-mapped-key.mjs
function FromPropertyKey$2(K, U, L, R, options) {
	return { [K]: Extends(Literal(K), U, L, R, Clone(options)) };
}
function FromPropertyKeys$2(K, U, L, R, options) {
	return K.reduce((Acc, LK) => {
		return {
			...Acc,
			...FromPropertyKey$2(LK, U, L, R, options)
		};
	}, {});
}
function FromMappedKey$2(K, U, L, R, options) {
	return FromPropertyKeys$2(K.keys, U, L, R, options);
}
function ExtendsFromMappedKey(T, U, L, R, options) {
	return MappedResult(FromMappedKey$2(T, U, L, R, options));
}
// node_modules/@sinclair/typebox/build/esm/type/extends/extends-undefined.mjs
/** Fast undefined check used for properties of type undefined */
function Intersect(schema) {
	return schema.allOf.every((schema) => ExtendsUndefinedCheck(schema));
}
function Union(schema) {
	return schema.anyOf.some((schema) => ExtendsUndefinedCheck(schema));
}
function Not$1(schema) {
	return !ExtendsUndefinedCheck(schema.not);
}
/** Fast undefined check used for properties of type undefined */
function ExtendsUndefinedCheck(schema) {
	return schema[Kind] === "Intersect" ? Intersect(schema) : schema[Kind] === "Union" ? Union(schema) : schema[Kind] === "Not" ? Not$1(schema) : schema[Kind] === "Undefined" ? true : false;
}
// node_modules/@sinclair/typebox/build/esm/type/exclude/exclude-from-template-literal.mjs
function ExcludeFromTemplateLiteral(L, R) {
	return Exclude(TemplateLiteralToUnion(L), R);
}
// node_modules/@sinclair/typebox/build/esm/type/exclude/exclude.mjs
function ExcludeRest(L, R) {
	const excluded = L.filter((inner) => ExtendsCheck(inner, R) === ExtendsResult.False);
	return excluded.length === 1 ? excluded[0] : Union$1(excluded);
}
/** `[Json]` Constructs a type by excluding from unionType all union members that are assignable to excludedMembers */
function Exclude(L, R, options = {}) {
	if (IsTemplateLiteral$1(L)) return CreateType(ExcludeFromTemplateLiteral(L, R), options);
	if (IsMappedResult$1(L)) return CreateType(ExcludeFromMappedResult(L, R), options);
	return CreateType(IsUnion$1(L) ? ExcludeRest(L.anyOf, R) : ExtendsCheck(L, R) !== ExtendsResult.False ? Never() : L, options);
}
// node_modules/@sinclair/typebox/build/esm/type/exclude/exclude-from-mapped-result.mjs
function FromProperties$10(P, U) {
	const Acc = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(P)) Acc[K2] = Exclude(P[K2], U);
	return Acc;
}
function FromMappedResult$5(R, T) {
	return FromProperties$10(R.properties, T);
}
function ExcludeFromMappedResult(R, T) {
	return MappedResult(FromMappedResult$5(R, T));
}
// node_modules/@sinclair/typebox/build/esm/type/extract/extract-from-template-literal.mjs
function ExtractFromTemplateLiteral(L, R) {
	return Extract(TemplateLiteralToUnion(L), R);
}
// node_modules/@sinclair/typebox/build/esm/type/extract/extract.mjs
function ExtractRest(L, R) {
	const extracted = L.filter((inner) => ExtendsCheck(inner, R) !== ExtendsResult.False);
	return extracted.length === 1 ? extracted[0] : Union$1(extracted);
}
/** `[Json]` Constructs a type by extracting from type all union members that are assignable to union */
function Extract(L, R, options) {
	if (IsTemplateLiteral$1(L)) return CreateType(ExtractFromTemplateLiteral(L, R), options);
	if (IsMappedResult$1(L)) return CreateType(ExtractFromMappedResult(L, R), options);
	return CreateType(IsUnion$1(L) ? ExtractRest(L.anyOf, R) : ExtendsCheck(L, R) !== ExtendsResult.False ? L : Never(), options);
}
// node_modules/@sinclair/typebox/build/esm/type/extract/extract-from-mapped-result.mjs
function FromProperties$9(P, T) {
	const Acc = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(P)) Acc[K2] = Extract(P[K2], T);
	return Acc;
}
function FromMappedResult$4(R, T) {
	return FromProperties$9(R.properties, T);
}
function ExtractFromMappedResult(R, T) {
	return MappedResult(FromMappedResult$4(R, T));
}
// node_modules/@sinclair/typebox/build/esm/type/instance-type/instance-type.mjs
/** `[JavaScript]` Extracts the InstanceType from the given Constructor type */
function InstanceType(schema, options) {
	return IsConstructor$1(schema) ? CreateType(schema.returns, options) : Never(options);
}
// node_modules/@sinclair/typebox/build/esm/type/readonly-optional/readonly-optional.mjs
/** `[Json]` Creates a Readonly and Optional property */
function ReadonlyOptional(schema) {
	return Readonly(Optional(schema));
}
// node_modules/@sinclair/typebox/build/esm/type/record/record.mjs
function RecordCreateFromPattern(pattern, T, options) {
	return CreateType({
		[Kind]: "Record",
		type: "object",
		patternProperties: { [pattern]: T }
	}, options);
}
function RecordCreateFromKeys(K, T, options) {
	const result = {};
	for (const K2 of K) result[K2] = T;
	return Object$1(result, {
		...options,
		[Hint]: "Record"
	});
}
function FromTemplateLiteralKey(K, T, options) {
	return IsTemplateLiteralFinite(K) ? RecordCreateFromKeys(IndexPropertyKeys(K), T, options) : RecordCreateFromPattern(K.pattern, T, options);
}
function FromUnionKey(key, type, options) {
	return RecordCreateFromKeys(IndexPropertyKeys(Union$1(key)), type, options);
}
function FromLiteralKey(key, type, options) {
	return RecordCreateFromKeys([key.toString()], type, options);
}
function FromRegExpKey(key, type, options) {
	return RecordCreateFromPattern(key.source, type, options);
}
function FromStringKey(key, type, options) {
	return RecordCreateFromPattern(IsUndefined$3(key.pattern) ? PatternStringExact : key.pattern, type, options);
}
function FromAnyKey(_, type, options) {
	return RecordCreateFromPattern(PatternStringExact, type, options);
}
function FromNeverKey(_key, type, options) {
	return RecordCreateFromPattern(PatternNeverExact, type, options);
}
function FromBooleanKey(_key, type, options) {
	return Object$1({
		true: type,
		false: type
	}, options);
}
function FromIntegerKey(_key, type, options) {
	return RecordCreateFromPattern(PatternNumberExact, type, options);
}
function FromNumberKey(_, type, options) {
	return RecordCreateFromPattern(PatternNumberExact, type, options);
}
/** `[Json]` Creates a Record type */
function Record(key, type, options = {}) {
	return IsUnion$1(key) ? FromUnionKey(key.anyOf, type, options) : IsTemplateLiteral$1(key) ? FromTemplateLiteralKey(key, type, options) : IsLiteral$1(key) ? FromLiteralKey(key.const, type, options) : IsBoolean$1(key) ? FromBooleanKey(key, type, options) : IsInteger$1(key) ? FromIntegerKey(key, type, options) : IsNumber$1(key) ? FromNumberKey(key, type, options) : IsRegExp$1(key) ? FromRegExpKey(key, type, options) : IsString$1(key) ? FromStringKey(key, type, options) : IsAny$1(key) ? FromAnyKey(key, type, options) : IsNever$1(key) ? FromNeverKey(key, type, options) : Never(options);
}
/** Gets the Records Pattern */
function RecordPattern(record) {
	return globalThis.Object.getOwnPropertyNames(record.patternProperties)[0];
}
/** Gets the Records Key Type */
function RecordKey(type) {
	const pattern = RecordPattern(type);
	return pattern === "^(.*)$" ? String$1() : pattern === "^(0|[1-9][0-9]*)$" ? Number$1() : String$1({ pattern });
}
/** Gets a Record Value Type */
function RecordValue(type) {
	return type.patternProperties[RecordPattern(type)];
}
// node_modules/@sinclair/typebox/build/esm/type/instantiate/instantiate.mjs
function FromConstructor$3(args, type) {
	type.parameters = FromTypes$1(args, type.parameters);
	type.returns = FromType$1(args, type.returns);
	return type;
}
function FromFunction$3(args, type) {
	type.parameters = FromTypes$1(args, type.parameters);
	type.returns = FromType$1(args, type.returns);
	return type;
}
function FromIntersect$5(args, type) {
	type.allOf = FromTypes$1(args, type.allOf);
	return type;
}
function FromUnion$5(args, type) {
	type.anyOf = FromTypes$1(args, type.anyOf);
	return type;
}
function FromTuple$3(args, type) {
	if (IsUndefined$3(type.items)) return type;
	type.items = FromTypes$1(args, type.items);
	return type;
}
function FromArray$3(args, type) {
	type.items = FromType$1(args, type.items);
	return type;
}
function FromAsyncIterator$3(args, type) {
	type.items = FromType$1(args, type.items);
	return type;
}
function FromIterator$3(args, type) {
	type.items = FromType$1(args, type.items);
	return type;
}
function FromPromise$2(args, type) {
	type.item = FromType$1(args, type.item);
	return type;
}
function FromObject$7(args, type) {
	const mappedProperties = FromProperties$8(args, type.properties);
	return {
		...type,
		...Object$1(mappedProperties)
	};
}
function FromRecord$3(args, type) {
	const result = Record(FromType$1(args, RecordKey(type)), FromType$1(args, RecordValue(type)));
	return {
		...type,
		...result
	};
}
function FromArgument$2(args, argument) {
	return argument.index in args ? args[argument.index] : Unknown();
}
function FromProperty$1(args, type) {
	const isReadonly = IsReadonly(type);
	const isOptional = IsOptional$1(type);
	const mapped = FromType$1(args, type);
	return isReadonly && isOptional ? ReadonlyOptional(mapped) : isReadonly && !isOptional ? Readonly(mapped) : !isReadonly && isOptional ? Optional(mapped) : mapped;
}
function FromProperties$8(args, properties) {
	return globalThis.Object.getOwnPropertyNames(properties).reduce((result, key) => {
		return {
			...result,
			[key]: FromProperty$1(args, properties[key])
		};
	}, {});
}
function FromTypes$1(args, types) {
	return types.map((type) => FromType$1(args, type));
}
function FromType$1(args, type) {
	return IsConstructor$1(type) ? FromConstructor$3(args, type) : IsFunction$1(type) ? FromFunction$3(args, type) : IsIntersect$1(type) ? FromIntersect$5(args, type) : IsUnion$1(type) ? FromUnion$5(args, type) : IsTuple$1(type) ? FromTuple$3(args, type) : IsArray$1(type) ? FromArray$3(args, type) : IsAsyncIterator$1(type) ? FromAsyncIterator$3(args, type) : IsIterator$1(type) ? FromIterator$3(args, type) : IsPromise$1(type) ? FromPromise$2(args, type) : IsObject$1(type) ? FromObject$7(args, type) : IsRecord$1(type) ? FromRecord$3(args, type) : IsArgument$1(type) ? FromArgument$2(args, type) : type;
}
/** `[JavaScript]` Instantiates a type with the given parameters */
function Instantiate(type, args) {
	return FromType$1(args, CloneType(type));
}
// node_modules/@sinclair/typebox/build/esm/type/integer/integer.mjs
/** `[Json]` Creates an Integer type */
function Integer(options) {
	return CreateType({
		[Kind]: "Integer",
		type: "integer"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/intrinsic/intrinsic-from-mapped-key.mjs
function MappedIntrinsicPropertyKey(K, M, options) {
	return { [K]: Intrinsic(Literal(K), M, Clone(options)) };
}
function MappedIntrinsicPropertyKeys(K, M, options) {
	return K.reduce((Acc, L) => {
		return {
			...Acc,
			...MappedIntrinsicPropertyKey(L, M, options)
		};
	}, {});
}
function MappedIntrinsicProperties(T, M, options) {
	return MappedIntrinsicPropertyKeys(T["keys"], M, options);
}
function IntrinsicFromMappedKey(T, M, options) {
	return MappedResult(MappedIntrinsicProperties(T, M, options));
}
// node_modules/@sinclair/typebox/build/esm/type/intrinsic/intrinsic.mjs
function ApplyUncapitalize(value) {
	const [first, rest] = [value.slice(0, 1), value.slice(1)];
	return [first.toLowerCase(), rest].join("");
}
function ApplyCapitalize(value) {
	const [first, rest] = [value.slice(0, 1), value.slice(1)];
	return [first.toUpperCase(), rest].join("");
}
function ApplyUppercase(value) {
	return value.toUpperCase();
}
function ApplyLowercase(value) {
	return value.toLowerCase();
}
function FromTemplateLiteral$2(schema, mode, options) {
	const expression = TemplateLiteralParseExact(schema.pattern);
	if (!IsTemplateLiteralExpressionFinite(expression)) return {
		...schema,
		pattern: FromLiteralValue(schema.pattern, mode)
	};
	return TemplateLiteral([Union$1(FromRest$2([...TemplateLiteralExpressionGenerate(expression)].map((value) => Literal(value)), mode))], options);
}
function FromLiteralValue(value, mode) {
	return typeof value === "string" ? mode === "Uncapitalize" ? ApplyUncapitalize(value) : mode === "Capitalize" ? ApplyCapitalize(value) : mode === "Uppercase" ? ApplyUppercase(value) : mode === "Lowercase" ? ApplyLowercase(value) : value : value.toString();
}
function FromRest$2(T, M) {
	return T.map((L) => Intrinsic(L, M));
}
/** Applies an intrinsic string manipulation to the given type. */
function Intrinsic(schema, mode, options = {}) {
	return IsMappedKey$1(schema) ? IntrinsicFromMappedKey(schema, mode, options) : IsTemplateLiteral$1(schema) ? FromTemplateLiteral$2(schema, mode, options) : IsUnion$1(schema) ? Union$1(FromRest$2(schema.anyOf, mode), options) : IsLiteral$1(schema) ? Literal(FromLiteralValue(schema.const, mode), options) : CreateType(schema, options);
}
// node_modules/@sinclair/typebox/build/esm/type/intrinsic/capitalize.mjs
/** `[Json]` Intrinsic function to Capitalize LiteralString types */
function Capitalize(T, options = {}) {
	return Intrinsic(T, "Capitalize", options);
}
// node_modules/@sinclair/typebox/build/esm/type/intrinsic/lowercase.mjs
/** `[Json]` Intrinsic function to Lowercase LiteralString types */
function Lowercase(T, options = {}) {
	return Intrinsic(T, "Lowercase", options);
}
// node_modules/@sinclair/typebox/build/esm/type/intrinsic/uncapitalize.mjs
/** `[Json]` Intrinsic function to Uncapitalize LiteralString types */
function Uncapitalize(T, options = {}) {
	return Intrinsic(T, "Uncapitalize", options);
}
// node_modules/@sinclair/typebox/build/esm/type/intrinsic/uppercase.mjs
/** `[Json]` Intrinsic function to Uppercase LiteralString types */
function Uppercase(T, options = {}) {
	return Intrinsic(T, "Uppercase", options);
}
// node_modules/@sinclair/typebox/build/esm/type/omit/omit-from-mapped-result.mjs
function FromProperties$7(properties, propertyKeys, options) {
	const result = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(properties)) result[K2] = Omit(properties[K2], propertyKeys, Clone(options));
	return result;
}
function FromMappedResult$3(mappedResult, propertyKeys, options) {
	return FromProperties$7(mappedResult.properties, propertyKeys, options);
}
function OmitFromMappedResult(mappedResult, propertyKeys, options) {
	return MappedResult(FromMappedResult$3(mappedResult, propertyKeys, options));
}
// node_modules/@sinclair/typebox/build/esm/type/omit/omit.mjs
function FromIntersect$4(types, propertyKeys) {
	return types.map((type) => OmitResolve(type, propertyKeys));
}
function FromUnion$4(types, propertyKeys) {
	return types.map((type) => OmitResolve(type, propertyKeys));
}
function FromProperty(properties, key) {
	const { [key]: _, ...R } = properties;
	return R;
}
function FromProperties$6(properties, propertyKeys) {
	return propertyKeys.reduce((T, K2) => FromProperty(T, K2), properties);
}
function FromObject$6(type, propertyKeys, properties) {
	const options = Discard(type, [
		TransformKind,
		"$id",
		"required",
		"properties"
	]);
	return Object$1(FromProperties$6(properties, propertyKeys), options);
}
function UnionFromPropertyKeys$1(propertyKeys) {
	return Union$1(propertyKeys.reduce((result, key) => IsLiteralValue$1(key) ? [...result, Literal(key)] : result, []));
}
function OmitResolve(type, propertyKeys) {
	return IsIntersect$1(type) ? Intersect$1(FromIntersect$4(type.allOf, propertyKeys)) : IsUnion$1(type) ? Union$1(FromUnion$4(type.anyOf, propertyKeys)) : IsObject$1(type) ? FromObject$6(type, propertyKeys, type.properties) : Object$1({});
}
/** `[Json]` Constructs a type whose keys are picked from the given type */
function Omit(type, key, options) {
	const typeKey = IsArray$3(key) ? UnionFromPropertyKeys$1(key) : key;
	const propertyKeys = IsSchema$1(key) ? IndexPropertyKeys(key) : key;
	const isTypeRef = IsRef$1(type);
	const isKeyRef = IsRef$1(key);
	return IsMappedResult$1(type) ? OmitFromMappedResult(type, propertyKeys, options) : IsMappedKey$1(key) ? OmitFromMappedKey(type, key, options) : isTypeRef && isKeyRef ? Computed("Omit", [type, typeKey], options) : !isTypeRef && isKeyRef ? Computed("Omit", [type, typeKey], options) : isTypeRef && !isKeyRef ? Computed("Omit", [type, typeKey], options) : CreateType({
		...OmitResolve(type, propertyKeys),
		...options
	});
}
// node_modules/@sinclair/typebox/build/esm/type/omit/omit-from-mapped-key.mjs
function FromPropertyKey$1(type, key, options) {
	return { [key]: Omit(type, [key], Clone(options)) };
}
function FromPropertyKeys$1(type, propertyKeys, options) {
	return propertyKeys.reduce((Acc, LK) => {
		return {
			...Acc,
			...FromPropertyKey$1(type, LK, options)
		};
	}, {});
}
function FromMappedKey$1(type, mappedKey, options) {
	return FromPropertyKeys$1(type, mappedKey.keys, options);
}
function OmitFromMappedKey(type, mappedKey, options) {
	return MappedResult(FromMappedKey$1(type, mappedKey, options));
}
// node_modules/@sinclair/typebox/build/esm/type/pick/pick-from-mapped-result.mjs
function FromProperties$5(properties, propertyKeys, options) {
	const result = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(properties)) result[K2] = Pick(properties[K2], propertyKeys, Clone(options));
	return result;
}
function FromMappedResult$2(mappedResult, propertyKeys, options) {
	return FromProperties$5(mappedResult.properties, propertyKeys, options);
}
function PickFromMappedResult(mappedResult, propertyKeys, options) {
	return MappedResult(FromMappedResult$2(mappedResult, propertyKeys, options));
}
// node_modules/@sinclair/typebox/build/esm/type/pick/pick.mjs
function FromIntersect$3(types, propertyKeys) {
	return types.map((type) => PickResolve(type, propertyKeys));
}
function FromUnion$3(types, propertyKeys) {
	return types.map((type) => PickResolve(type, propertyKeys));
}
function FromProperties$4(properties, propertyKeys) {
	const result = {};
	for (const K2 of propertyKeys) if (K2 in properties) result[K2] = properties[K2];
	return result;
}
function FromObject$5(Type, keys, properties) {
	const options = Discard(Type, [
		TransformKind,
		"$id",
		"required",
		"properties"
	]);
	return Object$1(FromProperties$4(properties, keys), options);
}
function UnionFromPropertyKeys(propertyKeys) {
	return Union$1(propertyKeys.reduce((result, key) => IsLiteralValue$1(key) ? [...result, Literal(key)] : result, []));
}
function PickResolve(type, propertyKeys) {
	return IsIntersect$1(type) ? Intersect$1(FromIntersect$3(type.allOf, propertyKeys)) : IsUnion$1(type) ? Union$1(FromUnion$3(type.anyOf, propertyKeys)) : IsObject$1(type) ? FromObject$5(type, propertyKeys, type.properties) : Object$1({});
}
/** `[Json]` Constructs a type whose keys are picked from the given type */
function Pick(type, key, options) {
	const typeKey = IsArray$3(key) ? UnionFromPropertyKeys(key) : key;
	const propertyKeys = IsSchema$1(key) ? IndexPropertyKeys(key) : key;
	const isTypeRef = IsRef$1(type);
	const isKeyRef = IsRef$1(key);
	return IsMappedResult$1(type) ? PickFromMappedResult(type, propertyKeys, options) : IsMappedKey$1(key) ? PickFromMappedKey(type, key, options) : isTypeRef && isKeyRef ? Computed("Pick", [type, typeKey], options) : !isTypeRef && isKeyRef ? Computed("Pick", [type, typeKey], options) : isTypeRef && !isKeyRef ? Computed("Pick", [type, typeKey], options) : CreateType({
		...PickResolve(type, propertyKeys),
		...options
	});
}
// node_modules/@sinclair/typebox/build/esm/type/pick/pick-from-mapped-key.mjs
function FromPropertyKey(type, key, options) {
	return { [key]: Pick(type, [key], Clone(options)) };
}
function FromPropertyKeys(type, propertyKeys, options) {
	return propertyKeys.reduce((result, leftKey) => {
		return {
			...result,
			...FromPropertyKey(type, leftKey, options)
		};
	}, {});
}
function FromMappedKey(type, mappedKey, options) {
	return FromPropertyKeys(type, mappedKey.keys, options);
}
function PickFromMappedKey(type, mappedKey, options) {
	return MappedResult(FromMappedKey(type, mappedKey, options));
}
// node_modules/@sinclair/typebox/build/esm/type/partial/partial.mjs
function FromComputed$2(target, parameters) {
	return Computed("Partial", [Computed(target, parameters)]);
}
function FromRef$3($ref) {
	return Computed("Partial", [Ref($ref)]);
}
function FromProperties$3(properties) {
	const partialProperties = {};
	for (const K of globalThis.Object.getOwnPropertyNames(properties)) partialProperties[K] = Optional(properties[K]);
	return partialProperties;
}
function FromObject$4(type, properties) {
	const options = Discard(type, [
		TransformKind,
		"$id",
		"required",
		"properties"
	]);
	return Object$1(FromProperties$3(properties), options);
}
function FromRest$1(types) {
	return types.map((type) => PartialResolve(type));
}
function PartialResolve(type) {
	return IsComputed$1(type) ? FromComputed$2(type.target, type.parameters) : IsRef$1(type) ? FromRef$3(type.$ref) : IsIntersect$1(type) ? Intersect$1(FromRest$1(type.allOf)) : IsUnion$1(type) ? Union$1(FromRest$1(type.anyOf)) : IsObject$1(type) ? FromObject$4(type, type.properties) : IsBigInt$1(type) ? type : IsBoolean$1(type) ? type : IsInteger$1(type) ? type : IsLiteral$1(type) ? type : IsNull$1(type) ? type : IsNumber$1(type) ? type : IsString$1(type) ? type : IsSymbol$1(type) ? type : IsUndefined$1(type) ? type : Object$1({});
}
/** `[Json]` Constructs a type where all properties are optional */
function Partial(type, options) {
	if (IsMappedResult$1(type)) return PartialFromMappedResult(type, options);
	else return CreateType({
		...PartialResolve(type),
		...options
	});
}
// node_modules/@sinclair/typebox/build/esm/type/partial/partial-from-mapped-result.mjs
function FromProperties$2(K, options) {
	const Acc = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(K)) Acc[K2] = Partial(K[K2], Clone(options));
	return Acc;
}
function FromMappedResult$1(R, options) {
	return FromProperties$2(R.properties, options);
}
function PartialFromMappedResult(R, options) {
	return MappedResult(FromMappedResult$1(R, options));
}
// node_modules/@sinclair/typebox/build/esm/type/required/required.mjs
function FromComputed$1(target, parameters) {
	return Computed("Required", [Computed(target, parameters)]);
}
function FromRef$2($ref) {
	return Computed("Required", [Ref($ref)]);
}
function FromProperties$1(properties) {
	const requiredProperties = {};
	for (const K of globalThis.Object.getOwnPropertyNames(properties)) requiredProperties[K] = Discard(properties[K], [OptionalKind]);
	return requiredProperties;
}
function FromObject$3(type, properties) {
	const options = Discard(type, [
		TransformKind,
		"$id",
		"required",
		"properties"
	]);
	return Object$1(FromProperties$1(properties), options);
}
function FromRest(types) {
	return types.map((type) => RequiredResolve(type));
}
function RequiredResolve(type) {
	return IsComputed$1(type) ? FromComputed$1(type.target, type.parameters) : IsRef$1(type) ? FromRef$2(type.$ref) : IsIntersect$1(type) ? Intersect$1(FromRest(type.allOf)) : IsUnion$1(type) ? Union$1(FromRest(type.anyOf)) : IsObject$1(type) ? FromObject$3(type, type.properties) : IsBigInt$1(type) ? type : IsBoolean$1(type) ? type : IsInteger$1(type) ? type : IsLiteral$1(type) ? type : IsNull$1(type) ? type : IsNumber$1(type) ? type : IsString$1(type) ? type : IsSymbol$1(type) ? type : IsUndefined$1(type) ? type : Object$1({});
}
/** `[Json]` Constructs a type where all properties are required */
function Required(type, options) {
	if (IsMappedResult$1(type)) return RequiredFromMappedResult(type, options);
	else return CreateType({
		...RequiredResolve(type),
		...options
	});
}
// node_modules/@sinclair/typebox/build/esm/type/required/required-from-mapped-result.mjs
function FromProperties(P, options) {
	const Acc = {};
	for (const K2 of globalThis.Object.getOwnPropertyNames(P)) Acc[K2] = Required(P[K2], options);
	return Acc;
}
function FromMappedResult(R, options) {
	return FromProperties(R.properties, options);
}
function RequiredFromMappedResult(R, options) {
	return MappedResult(FromMappedResult(R, options));
}
// node_modules/@sinclair/typebox/build/esm/type/module/compute.mjs
function DereferenceParameters(moduleProperties, types) {
	return types.map((type) => {
		return IsRef$1(type) ? Dereference(moduleProperties, type.$ref) : FromType(moduleProperties, type);
	});
}
function Dereference(moduleProperties, ref) {
	return ref in moduleProperties ? IsRef$1(moduleProperties[ref]) ? Dereference(moduleProperties, moduleProperties[ref].$ref) : FromType(moduleProperties, moduleProperties[ref]) : Never();
}
function FromAwaited(parameters) {
	return Awaited(parameters[0]);
}
function FromIndex(parameters) {
	return Index$1(parameters[0], parameters[1]);
}
function FromKeyOf(parameters) {
	return KeyOf(parameters[0]);
}
function FromPartial(parameters) {
	return Partial(parameters[0]);
}
function FromOmit(parameters) {
	return Omit(parameters[0], parameters[1]);
}
function FromPick(parameters) {
	return Pick(parameters[0], parameters[1]);
}
function FromRequired(parameters) {
	return Required(parameters[0]);
}
function FromComputed(moduleProperties, target, parameters) {
	const dereferenced = DereferenceParameters(moduleProperties, parameters);
	return target === "Awaited" ? FromAwaited(dereferenced) : target === "Index" ? FromIndex(dereferenced) : target === "KeyOf" ? FromKeyOf(dereferenced) : target === "Partial" ? FromPartial(dereferenced) : target === "Omit" ? FromOmit(dereferenced) : target === "Pick" ? FromPick(dereferenced) : target === "Required" ? FromRequired(dereferenced) : Never();
}
function FromArray$2(moduleProperties, type) {
	return Array$1(FromType(moduleProperties, type));
}
function FromAsyncIterator$2(moduleProperties, type) {
	return AsyncIterator(FromType(moduleProperties, type));
}
function FromConstructor$2(moduleProperties, parameters, instanceType) {
	return Constructor(FromTypes(moduleProperties, parameters), FromType(moduleProperties, instanceType));
}
function FromFunction$2(moduleProperties, parameters, returnType) {
	return Function(FromTypes(moduleProperties, parameters), FromType(moduleProperties, returnType));
}
function FromIntersect$2(moduleProperties, types) {
	return Intersect$1(FromTypes(moduleProperties, types));
}
function FromIterator$2(moduleProperties, type) {
	return Iterator(FromType(moduleProperties, type));
}
function FromObject$2(moduleProperties, properties) {
	return Object$1(globalThis.Object.keys(properties).reduce((result, key) => {
		return {
			...result,
			[key]: FromType(moduleProperties, properties[key])
		};
	}, {}));
}
function FromRecord$2(moduleProperties, type) {
	const [value, pattern] = [FromType(moduleProperties, RecordValue(type)), RecordPattern(type)];
	const result = CloneType(type);
	result.patternProperties[pattern] = value;
	return result;
}
function FromTransform(moduleProperties, transform) {
	return IsRef$1(transform) ? {
		...Dereference(moduleProperties, transform.$ref),
		[TransformKind]: transform[TransformKind]
	} : transform;
}
function FromTuple$2(moduleProperties, types) {
	return Tuple(FromTypes(moduleProperties, types));
}
function FromUnion$2(moduleProperties, types) {
	return Union$1(FromTypes(moduleProperties, types));
}
function FromTypes(moduleProperties, types) {
	return types.map((type) => FromType(moduleProperties, type));
}
function FromType(moduleProperties, type) {
	return IsOptional$1(type) ? CreateType(FromType(moduleProperties, Discard(type, [OptionalKind])), type) : IsReadonly(type) ? CreateType(FromType(moduleProperties, Discard(type, [ReadonlyKind])), type) : IsTransform$1(type) ? CreateType(FromTransform(moduleProperties, type), type) : IsArray$1(type) ? CreateType(FromArray$2(moduleProperties, type.items), type) : IsAsyncIterator$1(type) ? CreateType(FromAsyncIterator$2(moduleProperties, type.items), type) : IsComputed$1(type) ? CreateType(FromComputed(moduleProperties, type.target, type.parameters)) : IsConstructor$1(type) ? CreateType(FromConstructor$2(moduleProperties, type.parameters, type.returns), type) : IsFunction$1(type) ? CreateType(FromFunction$2(moduleProperties, type.parameters, type.returns), type) : IsIntersect$1(type) ? CreateType(FromIntersect$2(moduleProperties, type.allOf), type) : IsIterator$1(type) ? CreateType(FromIterator$2(moduleProperties, type.items), type) : IsObject$1(type) ? CreateType(FromObject$2(moduleProperties, type.properties), type) : IsRecord$1(type) ? CreateType(FromRecord$2(moduleProperties, type)) : IsTuple$1(type) ? CreateType(FromTuple$2(moduleProperties, type.items || []), type) : IsUnion$1(type) ? CreateType(FromUnion$2(moduleProperties, type.anyOf), type) : type;
}
function ComputeType(moduleProperties, key) {
	return key in moduleProperties ? FromType(moduleProperties, moduleProperties[key]) : Never();
}
function ComputeModuleProperties(moduleProperties) {
	return globalThis.Object.getOwnPropertyNames(moduleProperties).reduce((result, key) => {
		return {
			...result,
			[key]: ComputeType(moduleProperties, key)
		};
	}, {});
}
// node_modules/@sinclair/typebox/build/esm/type/module/module.mjs
var TModule = class {
	constructor($defs) {
		const computed = ComputeModuleProperties($defs);
		const identified = this.WithIdentifiers(computed);
		this.$defs = identified;
	}
	/** `[Json]` Imports a Type by Key. */
	Import(key, options) {
		const $defs = {
			...this.$defs,
			[key]: CreateType(this.$defs[key], options)
		};
		return CreateType({
			[Kind]: "Import",
			$defs,
			$ref: key
		});
	}
	WithIdentifiers($defs) {
		return globalThis.Object.getOwnPropertyNames($defs).reduce((result, key) => {
			return {
				...result,
				[key]: {
					...$defs[key],
					$id: key
				}
			};
		}, {});
	}
};
/** `[Json]` Creates a Type Definition Module. */
function Module(properties) {
	return new TModule(properties);
}
// node_modules/@sinclair/typebox/build/esm/type/not/not.mjs
/** `[Json]` Creates a Not type */
function Not(type, options) {
	return CreateType({
		[Kind]: "Not",
		not: type
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/parameters/parameters.mjs
/** `[JavaScript]` Extracts the Parameters from the given Function type */
function Parameters(schema, options) {
	return IsFunction$1(schema) ? Tuple(schema.parameters, options) : Never();
}
// node_modules/@sinclair/typebox/build/esm/type/recursive/recursive.mjs
let Ordinal = 0;
/** `[Json]` Creates a Recursive type */
function Recursive(callback, options = {}) {
	if (IsUndefined$3(options.$id)) options.$id = `T${Ordinal++}`;
	const thisType = CloneType(callback({
		[Kind]: "This",
		$ref: `${options.$id}`
	}));
	thisType.$id = options.$id;
	return CreateType({
		[Hint]: "Recursive",
		...thisType
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/regexp/regexp.mjs
/** `[JavaScript]` Creates a RegExp type */
function RegExp$1(unresolved, options) {
	const expr = IsString$3(unresolved) ? new globalThis.RegExp(unresolved) : unresolved;
	return CreateType({
		[Kind]: "RegExp",
		type: "RegExp",
		source: expr.source,
		flags: expr.flags
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/rest/rest.mjs
function RestResolve(T) {
	return IsIntersect$1(T) ? T.allOf : IsUnion$1(T) ? T.anyOf : IsTuple$1(T) ? T.items ?? [] : [];
}
/** `[Json]` Extracts interior Rest elements from Tuple, Intersect and Union types */
function Rest(T) {
	return RestResolve(T);
}
// node_modules/@sinclair/typebox/build/esm/type/return-type/return-type.mjs
/** `[JavaScript]` Extracts the ReturnType from the given Function type */
function ReturnType(schema, options) {
	return IsFunction$1(schema) ? CreateType(schema.returns, options) : Never(options);
}
// node_modules/@sinclair/typebox/build/esm/type/transform/transform.mjs
var TransformDecodeBuilder = class {
	constructor(schema) {
		this.schema = schema;
	}
	Decode(decode) {
		return new TransformEncodeBuilder(this.schema, decode);
	}
};
var TransformEncodeBuilder = class {
	constructor(schema, decode) {
		this.schema = schema;
		this.decode = decode;
	}
	EncodeTransform(encode, schema) {
		const Encode = (value) => schema[TransformKind].Encode(encode(value));
		const Decode = (value) => this.decode(schema[TransformKind].Decode(value));
		const Codec = {
			Encode,
			Decode
		};
		return {
			...schema,
			[TransformKind]: Codec
		};
	}
	EncodeSchema(encode, schema) {
		const Codec = {
			Decode: this.decode,
			Encode: encode
		};
		return {
			...schema,
			[TransformKind]: Codec
		};
	}
	Encode(encode) {
		return IsTransform$1(this.schema) ? this.EncodeTransform(encode, this.schema) : this.EncodeSchema(encode, this.schema);
	}
};
/** `[Json]` Creates a Transform type */
function Transform(schema) {
	return new TransformDecodeBuilder(schema);
}
// node_modules/@sinclair/typebox/build/esm/type/unsafe/unsafe.mjs
/** `[Json]` Creates a Unsafe type that will infers as the generic argument T */
function Unsafe(options = {}) {
	return CreateType({ [Kind]: options[Kind] ?? "Unsafe" }, options);
}
// node_modules/@sinclair/typebox/build/esm/type/void/void.mjs
/** `[JavaScript]` Creates a Void type */
function Void(options) {
	return CreateType({
		[Kind]: "Void",
		type: "void"
	}, options);
}
// node_modules/@sinclair/typebox/build/esm/type/type/index.mjs
/** JavaScript Type Builder with Static Resolution for TypeScript */
const Type = /* @__PURE__ */ __exportAll({
	Any: () => Any,
	Argument: () => Argument,
	Array: () => Array$1,
	AsyncIterator: () => AsyncIterator,
	Awaited: () => Awaited,
	BigInt: () => BigInt$1,
	Boolean: () => Boolean$1,
	Capitalize: () => Capitalize,
	Composite: () => Composite,
	Const: () => Const,
	Constructor: () => Constructor,
	ConstructorParameters: () => ConstructorParameters,
	Date: () => Date$1,
	Enum: () => Enum,
	Exclude: () => Exclude,
	Extends: () => Extends,
	Extract: () => Extract,
	Function: () => Function,
	Index: () => Index$1,
	InstanceType: () => InstanceType,
	Instantiate: () => Instantiate,
	Integer: () => Integer,
	Intersect: () => Intersect$1,
	Iterator: () => Iterator,
	KeyOf: () => KeyOf,
	Literal: () => Literal,
	Lowercase: () => Lowercase,
	Mapped: () => Mapped,
	Module: () => Module,
	Never: () => Never,
	Not: () => Not,
	Null: () => Null,
	Number: () => Number$1,
	Object: () => Object$1,
	Omit: () => Omit,
	Optional: () => Optional,
	Parameters: () => Parameters,
	Partial: () => Partial,
	Pick: () => Pick,
	Promise: () => Promise$1,
	Readonly: () => Readonly,
	ReadonlyOptional: () => ReadonlyOptional,
	Record: () => Record,
	Recursive: () => Recursive,
	Ref: () => Ref,
	RegExp: () => RegExp$1,
	Required: () => Required,
	Rest: () => Rest,
	ReturnType: () => ReturnType,
	String: () => String$1,
	Symbol: () => Symbol$1,
	TemplateLiteral: () => TemplateLiteral,
	Transform: () => Transform,
	Tuple: () => Tuple,
	Uint8Array: () => Uint8Array$1,
	Uncapitalize: () => Uncapitalize,
	Undefined: () => Undefined,
	Union: () => Union$1,
	Unknown: () => Unknown,
	Unsafe: () => Unsafe,
	Uppercase: () => Uppercase,
	Void: () => Void
});
// node_modules/@noble/hashes/_u64.js
const fromNumH = (n) => n / 2 ** 32 | 0;
const fromNumL = (n) => n >>> 0;
function setU64FromNum(view, byteOffset, n, isLE) {
	const h = fromNumH(n);
	const l = fromNumL(n);
	view.setUint32(byteOffset, isLE ? l : h, isLE);
	view.setUint32(byteOffset + 4, isLE ? h : l, isLE);
}
// node_modules/@noble/hashes/utils.js
/**
* Checks if something is Uint8Array. Be careful: nodejs Buffer will return true.
* @param a - value to test
* @returns `true` when the value is a Uint8Array-compatible view.
* @example
* Check whether a value is a Uint8Array-compatible view.
* ```ts
* isBytes(new Uint8Array([1, 2, 3]));
* ```
*/
function isBytes$1(a) {
	return a instanceof Uint8Array || ArrayBuffer.isView(a) && a.constructor.name === "Uint8Array" && "BYTES_PER_ELEMENT" in a && a.BYTES_PER_ELEMENT === 1;
}
const atitle = (title) => title ? `"${title}" ` : "";
/**
* Asserts something is a non-negative integer.
* @param n - number to validate
* @param title - label included in thrown errors
* @returns The validated number.
* @throws On wrong argument types. {@link TypeError}
* @throws On wrong argument ranges or values. {@link RangeError}
* @example
* Validate a non-negative integer option.
* ```ts
* anumber(32, 'length');
* ```
*/
function anumber$1(n, title = "") {
	if (typeof n !== "number") throw new TypeError(atitle(title) + "expected number, got " + typeof n);
	if (!Number.isSafeInteger(n) || n < 0) throw new RangeError(atitle(title) + "expected integer >= 0, got " + n);
	return n;
}
/**
* Asserts something is Uint8Array.
* @param value - value to validate
* @param length - optional exact length constraint
* @param title - label included in thrown errors
* @returns The validated byte array.
* @throws On wrong argument types. {@link TypeError}
* @throws On wrong argument ranges or values. {@link RangeError}
* @example
* Validate that a value is a byte array.
* ```ts
* abytes(new Uint8Array([1, 2, 3]));
* ```
*/
function abytes$1(value, length, title = "") {
	if (isBytes$1(value) && (length === void 0 || value.length === length)) return value;
	if (length !== void 0) anumber$1(length, "length");
	const bytes = isBytes$1(value);
	const ofLen = length !== void 0 ? ` of length ${length}` : "";
	const got = bytes ? `length=${value.length}` : `type=${typeof value}`;
	const message = atitle(title) + "expected Uint8Array" + ofLen + ", got " + got;
	if (!bytes) throw new TypeError(message);
	throw new RangeError(message);
}
const aobject = (value, label) => {
	if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TypeError((label === "object" ? "" : `"${label}" `) + "expected object, got type=" + typeof value);
};
const aopts = (value, label) => {
	aobject(value, label);
	const proto = Object.getPrototypeOf(value);
	if (proto !== Object.prototype && proto !== null) throw new TypeError(`"${label}" expected plain object`);
	if (Object.hasOwn(value, "__proto__")) throw new TypeError(`"${label}.__proto__" is not allowed`);
};
/**
* Asserts a hash instance has not been destroyed or finished.
* @param instance - hash instance to validate
* @param checkFinished - whether to reject finalized instances
* @throws If the hash instance has already been destroyed or finalized. {@link Error}
* @example
* Validate that a hash instance is still usable.
* ```ts
* import { aexists } from '@noble/hashes/utils.js';
* import { sha256 } from '@noble/hashes/sha2.js';
* const hash = sha256.create();
* aexists(hash);
* ```
*/
function aexists(instance, checkFinished = true) {
	if (instance.destroyed) throw new Error("hash was destroyed");
	if (checkFinished && instance.finished) throw new Error("digest() was already called");
}
/**
* Asserts output is a sufficiently-sized byte array.
* @param out - destination buffer
* @param instance - hash instance providing output length
* Oversized buffers are allowed; downstream code only promises to fill the first `outputLen` bytes.
* @throws On wrong argument types. {@link TypeError}
* @throws On wrong argument ranges or values. {@link RangeError}
* @example
* Validate a caller-provided digest buffer.
* ```ts
* import { aoutput } from '@noble/hashes/utils.js';
* import { sha256 } from '@noble/hashes/sha2.js';
* const hash = sha256.create();
* aoutput(new Uint8Array(hash.outputLen), hash);
* ```
*/
function aoutput(out, instance) {
	abytes$1(out, void 0, "output");
	const min = instance.outputLen;
	if (!(out.length >= min)) throw new RangeError("\"output\" expected length >= " + min);
}
/**
* Zeroizes typed arrays in place. Warning: JS provides no guarantees.
* @param arrays - arrays to overwrite with zeros
* @example
* Zeroize sensitive buffers in place.
* ```ts
* clean(new Uint8Array([1, 2, 3]));
* ```
*/
function clean(...arrays) {
	for (let i = 0; i < arrays.length; i++) arrays[i].fill(0);
}
/**
* Creates a DataView for byte-level manipulation.
* @param arr - source typed array
* @returns DataView over the same buffer region.
* @example
* Create a DataView over an existing buffer.
* ```ts
* createView(new Uint8Array(4));
* ```
*/
function createView(arr) {
	return new DataView(arr.buffer, arr.byteOffset, arr.byteLength);
}
/**
* Rotate-right operation for uint32 values.
* @param word - source word
* @param shift - shift amount in bits
* @returns Rotated word.
* @example
* Rotate a 32-bit word to the right.
* ```ts
* rotr(0x12345678, 8);
* ```
*/
function rotr(word, shift) {
	return word << 32 - shift | word >>> shift;
}
const hasHexBuiltin = /* @__PURE__ */ (() => typeof Uint8Array.from([]).toHex === "function" && typeof Uint8Array.fromHex === "function")();
const hexes = /* @__PURE__ */ Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
/**
* Convert byte array to hex string.
* Uses the built-in function when available and assumes it matches the tested
* fallback semantics.
* @param bytes - bytes to encode
* @returns Lowercase hexadecimal string.
* @throws On wrong argument types. {@link TypeError}
* @example
* Convert bytes to lowercase hexadecimal.
* ```ts
* bytesToHex(Uint8Array.from([0xca, 0xfe, 0x01, 0x23])); // 'cafe0123'
* ```
*/
function bytesToHex(bytes) {
	abytes$1(bytes);
	if (hasHexBuiltin) return bytes.toHex();
	let hex = "";
	for (let i = 0; i < bytes.length; i++) hex += hexes[bytes[i]];
	return hex;
}
/**
* Converts string to bytes using UTF8 encoding.
* Built-in doesn't validate input to be string: we do the check.
* Non-ASCII details are delegated to the platform `TextEncoder`.
* @param str - string to encode
* @returns UTF-8 encoded bytes.
* @throws On wrong argument types. {@link TypeError}
* @example
* Encode a string as UTF-8 bytes.
* ```ts
* utf8ToBytes('abc'); // Uint8Array.from([97, 98, 99])
* ```
*/
function utf8ToBytes(str) {
	if (typeof str !== "string") throw new TypeError("string expected");
	const encoded = new TextEncoder().encode(str);
	try {
		return new Uint8Array(encoded);
	} finally {
		clean(encoded);
	}
}
/**
* Merges default options and passed options.
* @param defaults - base option object
* @param opts - user overrides
* @param title - label included in thrown override errors
* @returns Fresh merged option object with a null prototype.
* @throws On wrong argument types. {@link TypeError}
* @example
* Merge user overrides onto default options.
* ```ts
* checkOpts({ dkLen: 32 }, { asyncTick: 10 });
* ```
*/
function checkOpts(defaults, opts, title = "opts") {
	aopts(defaults, "defaults");
	if (opts !== void 0) aopts(opts, title);
	return Object.assign(Object.create(null), defaults, opts);
}
/**
* Creates a callable hash function from a stateful class constructor.
* @param hashCons - hash constructor or factory
* @param info - optional metadata such as DER OID
* @returns Frozen callable hash wrapper with `.create()`.
*   Wrapper construction eagerly calls `hashCons(undefined)` once to read
*   `outputLen` / `blockLen`, so constructor side effects happen at module
*   init time.
* @throws On wrong argument types. {@link TypeError}
* @example
* Wrap a stateful hash constructor into a callable helper.
* ```ts
* import { createHasher } from '@noble/hashes/utils.js';
* import { sha256 } from '@noble/hashes/sha2.js';
* const wrapped = createHasher(sha256.create, { oid: sha256.oid });
* wrapped(new Uint8Array([1]));
* ```
*/
function createHasher(hashCons, info = {}) {
	if (typeof hashCons !== "function") throw new TypeError("\"hashCons\" expected function, got type=" + typeof hashCons);
	info = checkOpts({}, info, "info");
	const hashC = (msg, opts) => hashCons(opts).update(msg).digest();
	const tmp = hashCons(void 0);
	hashC.outputLen = tmp.outputLen;
	hashC.blockLen = tmp.blockLen;
	hashC.canXOF = tmp.canXOF;
	hashC.create = (opts) => hashCons(opts);
	Object.assign(hashC, info);
	return Object.freeze(hashC);
}
/**
* Creates OID metadata for NIST hashes with prefix `06 09 60 86 48 01 65 03 04 02`.
* @param suffix - final OID byte for the selected hash.
*   The helper accepts any byte even though only the documented NIST hash
*   suffixes are meaningful downstream.
* @returns Object containing the DER-encoded OID.
* @example
* Build OID metadata for a NIST hash.
* ```ts
* oidNist(0x01);
* ```
*/
const oidNist = (suffix) => ({ oid: Uint8Array.from([
	6,
	9,
	96,
	134,
	72,
	1,
	101,
	3,
	4,
	2,
	suffix
]) });
// node_modules/@noble/hashes/_md.js
/**
* Internal Merkle-Damgard hash utils.
* @module
*/
/**
* Shared 32-bit conditional boolean primitive reused by SHA-256, SHA-1, and MD5 `F`.
* Returns bits from `b` when `a` is set, otherwise from `c`.
* The XOR form is equivalent to MD5's `F(X,Y,Z) = XY v not(X)Z` because the masked terms never
* set the same bit.
* @param a - selector word
* @param b - word chosen when selector bit is set
* @param c - word chosen when selector bit is clear
* @returns Mixed 32-bit word.
* @example
* Combine three words with the shared 32-bit choice primitive.
* ```ts
* Chi(0xffffffff, 0x12345678, 0x87654321);
* ```
*/
function Chi(a, b, c) {
	return a & b ^ ~a & c;
}
/**
* Shared 32-bit majority primitive reused by SHA-256 and SHA-1.
* Returns bits shared by at least two inputs.
* @param a - first input word
* @param b - second input word
* @param c - third input word
* @returns Mixed 32-bit word.
* @example
* Combine three words with the shared 32-bit majority primitive.
* ```ts
* Maj(0xffffffff, 0x12345678, 0x87654321);
* ```
*/
function Maj(a, b, c) {
	return a & b ^ a & c ^ b & c;
}
/**
* Merkle-Damgard hash construction base class.
* Could be used to create MD5, RIPEMD, SHA1, SHA2.
* Accepts only byte-aligned `Uint8Array` input, even when the underlying spec describes bit
* strings with partial-byte tails.
* @param blockLen - internal block size in bytes
* @param outputLen - digest size in bytes
* @param padOffset - trailing length field size in bytes
* @param isLE - whether length and state words are encoded in little-endian
* @example
* Use a concrete subclass to get the shared Merkle-Damgard update/digest flow.
* ```ts
* import { _SHA1 } from '@noble/hashes/legacy.js';
* const hash = new _SHA1();
* hash.update(new Uint8Array([97, 98, 99]));
* hash.digest();
* ```
*/
var HashMD = class {
	blockLen;
	outputLen;
	canXOF = false;
	padOffset;
	isLE;
	buffer;
	view;
	finished = false;
	length = 0;
	pos = 0;
	destroyed = false;
	constructor(blockLen, outputLen, padOffset, isLE) {
		this.blockLen = blockLen;
		this.outputLen = outputLen;
		this.padOffset = padOffset;
		this.isLE = isLE;
		this.buffer = new Uint8Array(blockLen);
		this.view = createView(this.buffer);
	}
	update(data) {
		aexists(this);
		abytes$1(data);
		const { view, buffer, blockLen } = this;
		const len = data.length;
		let processed = false;
		for (let pos = 0; pos < len;) {
			const take = Math.min(blockLen - this.pos, len - pos);
			if (take === blockLen) {
				const dataView = createView(data);
				for (; blockLen <= len - pos; pos += blockLen) this.process(dataView, pos);
				processed = true;
				continue;
			}
			buffer.set(pos === 0 && take === len ? data : data.subarray(pos, pos + take), this.pos);
			this.pos += take;
			pos += take;
			if (this.pos === blockLen) {
				this.process(view, 0);
				this.pos = 0;
				processed = true;
			}
		}
		this.length += data.length;
		if (processed) this.roundClean();
		return this;
	}
	digestInto(out) {
		aexists(this);
		aoutput(out, this);
		this.finished = true;
		const { buffer, view, blockLen, isLE } = this;
		let { pos } = this;
		buffer[pos++] = 128;
		buffer.fill(0, pos);
		if (this.padOffset > blockLen - pos) {
			this.process(view, 0);
			buffer.fill(0);
		}
		setU64FromNum(view, blockLen - 8, this.length * 8, isLE);
		this.process(view, 0);
		this.roundClean();
		const oview = out === buffer ? view : createView(out);
		const len = this.outputLen;
		const outLen = len / 4;
		const state = this.get();
		if (len % 4 || outLen > state.length) throw new Error("invalid outputLen");
		for (let i = 0; i < outLen; i++) oview.setUint32(4 * i, state[i], isLE);
	}
	digest() {
		const { buffer, outputLen } = this;
		this.digestInto(buffer);
		const res = buffer.slice(0, outputLen);
		this.destroy();
		return res;
	}
	_cloneIntoMeta(to) {
		const { buffer, length, finished, destroyed, pos } = this;
		to.destroyed = destroyed;
		to.finished = finished;
		to.length = length;
		to.pos = pos;
		if (pos) to.buffer.set(buffer);
		return to;
	}
	clone() {
		return this._cloneInto();
	}
};
/**
* Initial SHA-2 state: fractional parts of square roots of first 16 primes 2..53.
* Check out `test/misc/sha2-gen-iv.js` for recomputation guide.
*/
/** Initial SHA256 state from RFC 6234 §6.1: the first 32 bits of the fractional parts of the
* square roots of the first eight prime numbers. Exported as a shared table; callers must treat
* it as read-only because constructors copy words from it by index. */
const SHA256_IV = /* @__PURE__ */ Uint32Array.from([
	1779033703,
	3144134277,
	1013904242,
	2773480762,
	1359893119,
	2600822924,
	528734635,
	1541459225
]);
// node_modules/@noble/hashes/sha2.js
/**
* SHA2 hash function. A.k.a. sha256, sha384, sha512, sha512_224, sha512_256.
* SHA256 is the fastest hash implementable in JS, even faster than Blake3.
* Check out {@link https://www.rfc-editor.org/rfc/rfc4634 | RFC 4634} and
* {@link https://nvlpubs.nist.gov/nistpubs/FIPS/NIST.FIPS.180-4.pdf | FIPS 180-4}.
* @module
*/
/**
* SHA-224 / SHA-256 round constants from RFC 6234 §5.1: the first 32 bits
* of the cube roots of the first 64 primes (2..311).
*/
const SHA256_K = /* @__PURE__ */ Uint32Array.from([
	1116352408,
	1899447441,
	3049323471,
	3921009573,
	961987163,
	1508970993,
	2453635748,
	2870763221,
	3624381080,
	310598401,
	607225278,
	1426881987,
	1925078388,
	2162078206,
	2614888103,
	3248222580,
	3835390401,
	4022224774,
	264347078,
	604807628,
	770255983,
	1249150122,
	1555081692,
	1996064986,
	2554220882,
	2821834349,
	2952996808,
	3210313671,
	3336571891,
	3584528711,
	113926993,
	338241895,
	666307205,
	773529912,
	1294757372,
	1396182291,
	1695183700,
	1986661051,
	2177026350,
	2456956037,
	2730485921,
	2820302411,
	3259730800,
	3345764771,
	3516065817,
	3600352804,
	4094571909,
	275423344,
	430227734,
	506948616,
	659060556,
	883997877,
	958139571,
	1322822218,
	1537002063,
	1747873779,
	1955562222,
	2024104815,
	2227730452,
	2361852424,
	2428436474,
	2756734187,
	3204031479,
	3329325298
]);
/** Reusable SHA-224 / SHA-256 message schedule buffer `W_t` from RFC 6234 §6.2 step 1. */
const SHA256_W = /* @__PURE__ */ new Uint32Array(64);
/** Internal SHA-224 / SHA-256 compression engine from RFC 6234 §6.2. */
var SHA2_32B = class extends HashMD {
	A = 0;
	B = 0;
	C = 0;
	D = 0;
	E = 0;
	F = 0;
	G = 0;
	H = 0;
	constructor(outputLen, IV) {
		super(64, outputLen, 8, false);
		this.A = IV[0] | 0;
		this.B = IV[1] | 0;
		this.C = IV[2] | 0;
		this.D = IV[3] | 0;
		this.E = IV[4] | 0;
		this.F = IV[5] | 0;
		this.G = IV[6] | 0;
		this.H = IV[7] | 0;
	}
	get() {
		const { A, B, C, D, E, F, G, H } = this;
		return [
			A,
			B,
			C,
			D,
			E,
			F,
			G,
			H
		];
	}
	set(A, B, C, D, E, F, G, H) {
		this.A = A | 0;
		this.B = B | 0;
		this.C = C | 0;
		this.D = D | 0;
		this.E = E | 0;
		this.F = F | 0;
		this.G = G | 0;
		this.H = H | 0;
	}
	_cloneInto(to) {
		(to ||= new this.constructor()).set(...this.get());
		return this._cloneIntoMeta(to);
	}
	process(view, offset) {
		for (let i = 0; i < 16; i++, offset += 4) SHA256_W[i] = view.getUint32(offset, false);
		for (let i = 16; i < 64; i++) {
			const W15 = SHA256_W[i - 15];
			const W2 = SHA256_W[i - 2];
			const s0 = rotr(W15, 7) ^ rotr(W15, 18) ^ W15 >>> 3;
			const s1 = rotr(W2, 17) ^ rotr(W2, 19) ^ W2 >>> 10;
			SHA256_W[i] = s1 + SHA256_W[i - 7] + s0 + SHA256_W[i - 16] | 0;
		}
		let { A, B, C, D, E, F, G, H } = this;
		for (let i = 0; i < 64; i++) {
			const sigma1 = rotr(E, 6) ^ rotr(E, 11) ^ rotr(E, 25);
			const T1 = H + sigma1 + Chi(E, F, G) + SHA256_K[i] + SHA256_W[i] | 0;
			const T2 = (rotr(A, 2) ^ rotr(A, 13) ^ rotr(A, 22)) + Maj(A, B, C) | 0;
			H = G;
			G = F;
			F = E;
			E = D + T1 | 0;
			D = C;
			C = B;
			B = A;
			A = T1 + T2 | 0;
		}
		A = A + this.A | 0;
		B = B + this.B | 0;
		C = C + this.C | 0;
		D = D + this.D | 0;
		E = E + this.E | 0;
		F = F + this.F | 0;
		G = G + this.G | 0;
		H = H + this.H | 0;
		this.set(A, B, C, D, E, F, G, H);
	}
	roundClean() {
		clean(SHA256_W);
	}
	destroy() {
		this.destroyed = true;
		this.set(0, 0, 0, 0, 0, 0, 0, 0);
		clean(this.buffer);
	}
};
/** Internal SHA-256 hash class grounded in RFC 6234 §6.2. */
var _SHA256 = class extends SHA2_32B {
	constructor() {
		super(32, SHA256_IV);
	}
};
/**
* SHA2-256 hash function from RFC 4634. In JS it's the fastest: even faster than Blake3. Some info:
*
* - Trying 2^128 hashes would get 50% chance of collision, using birthday attack.
* - BTC network is doing 2^70 hashes/sec (2^95 hashes/year) as per 2025.
* - Each sha256 hash is executing 2^18 bit operations.
* - Good 2024 ASICs can do 200Th/sec with 3500 watts of power, corresponding to 2^36 hashes/joule.
* @param msg - message bytes to hash
* @param opts - Reserved hash options.
* @returns Digest bytes.
* @example
* Hash a message with SHA2-256.
* ```ts
* sha256(new Uint8Array([97, 98, 99]));
* ```
*/
const sha256 = /* @__PURE__ */ createHasher(() => new _SHA256(), /* @__PURE__ */ oidNist(1));
// envs/core/errors.ts
var TroupeError = class extends Error {
	code;
	where;
	got;
	expected;
	nearest;
	constructor(code, parts) {
		const hint = parts.nearest === void 0 ? "" : `; did you mean ${parts.nearest}?`;
		super(`${parts.where} is ${parts.got}; expected ${parts.expected}${hint}`);
		this.name = "TroupeError";
		this.code = code;
		this.where = parts.where;
		this.got = parts.got;
		this.expected = parts.expected;
		this.nearest = parts.nearest;
	}
	/** A plain object for `--json` output and sockets. */
	toJSON() {
		const { code, message, where, got, expected } = this;
		return {
			code,
			message,
			where,
			got,
			expected,
			...this.nearest === void 0 ? {} : { nearest: this.nearest }
		};
	}
};
/** Edits (insert, delete, replace, swap of neighbours) between two words; Damerau 1964, restricted form. */
function distance(a, b) {
	const rows = a.length + 1;
	const columns = b.length + 1;
	const cost = new Uint16Array(rows * columns);
	for (let i = 0; i < rows; i++) cost[i * columns] = i;
	for (let j = 0; j < columns; j++) cost[j] = j;
	for (let i = 1; i < rows; i++) for (let j = 1; j < columns; j++) {
		const same = a[i - 1] === b[j - 1] ? 0 : 1;
		let best = Math.min(cost[(i - 1) * columns + j] + 1, cost[i * columns + j - 1] + 1, cost[(i - 1) * columns + j - 1] + same);
		if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, cost[(i - 2) * columns + j - 2] + 1);
		cost[i * columns + j] = best;
	}
	return cost[rows * columns - 1];
}
/**
* The known name closest to what was typed, or undefined when none is near
* (more than a third of the letters differ and neither contains the other).
*/
function nearestName(typed, known) {
	const word = typed.slice(0, 200).toLowerCase();
	let best;
	let bestDistance = Infinity;
	let bestEdits = Infinity;
	for (const name of known) {
		const lower = name.toLowerCase();
		const edits = distance(word, lower);
		const d = word.length >= 3 && (lower.includes(word) || word.includes(lower)) ? Math.min(edits, 1) : edits;
		if (d < bestDistance || d === bestDistance && edits < bestEdits) {
			best = name;
			bestDistance = d;
			bestEdits = edits;
		}
	}
	return bestDistance <= Math.max(1, Math.floor(Math.max(word.length, 3) / 3)) ? best : void 0;
}
/** The error for a name that is not in a table. */
function unknownName(kind, typed, known) {
	const nearest = nearestName(typed, known);
	const list = known.length <= 24 ? known.join(", ") : `${known.slice(0, 24).join(", ")} … (${known.length} in all)`;
	return new TroupeError("unknown-name", {
		where: kind,
		got: `"${typed.slice(0, 120)}"`,
		expected: `one of ${list}`,
		...nearest === void 0 ? {} : { nearest: `"${nearest}"` }
	});
}
/** A value as it should appear in a message: short, and told apart by kind. */
function shown(value, depth = 0) {
	if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value);
	if (typeof value === "number" || typeof value === "boolean" || value == null) return Object.is(value, -0) ? "-0" : String(value);
	if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.length ?? "?"})`;
	if (Array.isArray(value)) {
		if (value.length > 8 || depth > 1) return `an array of ${value.length}`;
		return `[${value.map((part) => shown(part, depth + 1)).join(", ")}]`;
	}
	if (typeof value === "object") return `an object with ${Object.keys(value).slice(0, 8).join(", ") || "no fields"}`;
	return `a ${typeof value}`;
}
// envs/core/seeds.ts
/** Episode seeds: what makes an episode repeatable without any history. */
/**
* First 128 bits of SHA-256("troupe-seed-1|root|purpose|lane|episode") as 32 hex digits.
* @param root any text or number; the run's root seed
* @param lane global lane number, so that sharding does not matter
* @param episode 0, 1, 2 … within the lane
*/
function episodeSeed(root, purpose, lane, episode) {
	return bytesToHex(sha256(utf8ToBytes(`troupe-seed-1|${root}|${purpose}|${lane}|${episode}`)).subarray(0, 16));
}
/** Four generator words for a named use that is not an episode (policy sampling, weight initialisation, shuffles). */
function namedSeed(root, name) {
	return seedWords(bytesToHex(sha256(utf8ToBytes(`troupe-named-1|${root}|${name}`)).subarray(0, 16)));
}
/** Reads an episode seed into four words, most significant digits first. */
function seedWords(seed, into = /* @__PURE__ */ new Uint32Array(4)) {
	if (typeof seed !== "string" || !/^[0-9a-f]{32}$/.test(seed)) throw new TroupeError("bad-option", {
		where: "episode seed",
		got: shown(seed),
		expected: "32 lower-case hex digits, as episodeSeed() makes them"
	});
	for (let word = 0; word < 4; word++) into[word] = parseInt(seed.slice(word * 8, word * 8 + 8), 16);
	return into;
}
// envs/core/random.ts
/**
* The generator of everything that is recorded: xoshiro128** 1.1 (Blackman and Vigna 2018), 32-bit, in `Math.imul`.
* State is four words in a Uint32Array, so that a world keeps its generators among its state arrays.
*/
/** Written into every snapshot and replay. A changed generator gets a new name. */
const GENERATOR = "xoshiro128**";
/** Next 32 random bits as an unsigned integer; advances `state[at .. at+3]`. */
function nextUint32(state, at) {
	const s1 = state[at + 1];
	const x = Math.imul(s1, 5);
	const result = Math.imul(x << 7 | x >>> 25, 9) >>> 0;
	const t = s1 << 9;
	const s2 = state[at + 2] ^ state[at];
	const s3 = state[at + 3] ^ s1;
	state[at + 1] = s1 ^ s2;
	state[at] ^= s3;
	state[at + 2] = s2 ^ t;
	state[at + 3] = s3 << 11 | s3 >>> 21;
	return result;
}
/**
* Uniform integer in [0, bound), by rejection, so without bias. A bound of 1 draws nothing.
* @param bound 1 to 2^32
*/
function nextBelow(state, at, bound) {
	if (bound <= 1) return 0;
	const limit = 4294967296 - 4294967296 % bound;
	let bits = nextUint32(state, at);
	while (bits >= limit) bits = nextUint32(state, at);
	return bits % bound;
}
/** Uniform float in [0, 1): 24 random bits over 2^24, exact in float32. */
function nextFloat(state, at) {
	return (nextUint32(state, at) >>> 8) * 5.960464477539063e-8;
}
/** Mixes 32 bits well (Murmur3 finaliser). */
function mix32(word) {
	word ^= word >>> 16;
	word = Math.imul(word, 2246822507);
	word ^= word >>> 13;
	word = Math.imul(word, 3266489909);
	return (word ^ word >>> 16) >>> 0;
}
/**
* Seeds one stream of a generator from 128 seed bits. Streams of one seed are told apart by number;
* the mixing is ours (Murmur3 finalisers, Weyl constants), fixed by test vectors.
* @param seed four words
* @param stream 0, 1, 2 … one per purpose
*/
function seedStream(state, at, seed, stream) {
	let carry = mix32(Math.imul(stream + 1, 2654435769));
	for (let pass = 0; pass < 2; pass++) for (let word = 0; word < 4; word++) {
		carry = mix32(carry + seed[word] + Math.imul(pass * 4 + word + 1, 2246822519) | 0);
		state[at + word] = (pass === 0 ? carry : state[at + word] ^ carry) >>> 0;
	}
	if ((state[at] | state[at + 1] | state[at + 2] | state[at + 3]) === 0) state[at] = 2654435769;
}
/** A generator as an object, for policies, learners and everything outside the lane arrays. */
var Generator = class {
	/** The four state words; saved and restored as they are. */
	state;
	constructor(seed, stream = 0) {
		this.state = /* @__PURE__ */ new Uint32Array(4);
		seedStream(this.state, 0, seed, stream);
	}
	/** 32 random bits. */
	uint32() {
		return nextUint32(this.state, 0);
	}
	/** Uniform integer in [0, bound). */
	below(bound) {
		return nextBelow(this.state, 0, bound);
	}
	/** Uniform float in [0, 1) with 24 bits. */
	float() {
		return nextFloat(this.state, 0);
	}
	/** Fisher–Yates, in place. */
	shuffle(items) {
		for (let i = items.length - 1; i > 0; i--) {
			const j = this.below(i + 1);
			const kept = items[i];
			items[i] = items[j];
			items[j] = kept;
		}
	}
};
// envs/core/digest.ts
/**
* 128-bit digests of typed data: a running mix in the manner of MurmurHash3 x86_128 (Appleby, public domain), fast enough
* to run at every step. It finds accidents and names the first differing step; against forgery stands the SHA-256 chain.
*/
const C1 = 597399067;
const C2 = 2869860233;
const C3 = 951274213;
const C4 = 2716044179;
function rotl(x, n) {
	return x << n | x >>> 32 - n;
}
function fmix(h) {
	h ^= h >>> 16;
	h = Math.imul(h, 2246822507);
	h ^= h >>> 13;
	h = Math.imul(h, 3266489909);
	return h ^ h >>> 16;
}
/** Views of a lane-major array whose rows are to be digested. */
function rowView(name, array, lanes) {
	const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
	const rowBytes = array.byteLength / lanes;
	const whole = array.byteOffset % 4 === 0 ? array.byteLength >> 2 : 0;
	return {
		name,
		bytes,
		words: whole > 0 ? new Uint32Array(array.buffer, array.byteOffset, whole) : /* @__PURE__ */ new Uint32Array(0),
		rowBytes,
		rowWords: rowBytes + 3 >> 2
	};
}
/**
* Copies one lane's row to `into` from `at` on as little-endian words, the last one padded with zero bytes.
* @returns the index after it
*/
function gatherRow(view, lane, into, at) {
	const { bytes, words, rowBytes } = view;
	const start = lane * rowBytes;
	const end = start + rowBytes;
	let from = start;
	if (words.length > 0 && (start & 3) === 0) {
		const to = end >> 2;
		for (let i = start >> 2; i < to; i++) into[at++] = words[i];
		from = end & -4;
	}
	for (; from < end; from += 4) {
		let word = bytes[from];
		if (from + 1 < end) word |= bytes[from + 1] << 8;
		if (from + 2 < end) word |= bytes[from + 2] << 16;
		if (from + 3 < end) word |= bytes[from + 3] << 24;
		into[at++] = word;
	}
	return at;
}
/**
* Data comes as single words and as whole blocks of four, which are mixed fast. On whole blocks, started from one word
* four times, the result is MurmurHash3_x86_128 of the little-endian bytes with that word as its seed.
*/
var Digest = class {
	h1 = 0;
	h2 = 0;
	h3 = 0;
	h4 = 0;
	words = 0;
	/** Starts again from four words (default zeros). */
	reset(h1 = 0, h2 = 0, h3 = 0, h4 = 0) {
		this.h1 = h1 | 0;
		this.h2 = h2 | 0;
		this.h3 = h3 | 0;
		this.h4 = h4 | 0;
		this.words = 0;
	}
	/** Mixes one 32-bit word in; its place in the block of four decides which part of the state it meets. */
	word(value) {
		switch (this.words++ & 3) {
			case 0:
				this.h1 ^= Math.imul(rotl(Math.imul(value, C1), 15), C2);
				this.h1 = Math.imul(rotl(this.h1, 19) + this.h2 | 0, 5) + 1444728091 | 0;
				break;
			case 1:
				this.h2 ^= Math.imul(rotl(Math.imul(value, C2), 16), C3);
				this.h2 = Math.imul(rotl(this.h2, 17) + this.h3 | 0, 5) + 197830471 | 0;
				break;
			case 2:
				this.h3 ^= Math.imul(rotl(Math.imul(value, C3), 17), C4);
				this.h3 = Math.imul(rotl(this.h3, 15) + this.h4 | 0, 5) + 2530024501 | 0;
				break;
			default:
				this.h4 ^= Math.imul(rotl(Math.imul(value, C4), 18), C1);
				this.h4 = Math.imul(rotl(this.h4, 13) + this.h1 | 0, 5) + 850148119 | 0;
		}
	}
	/** Pads the words so far with zeros to whole blocks. */
	align() {
		while ((this.words & 3) !== 0) this.word(0);
	}
	/**
	* Mixes the first `count` words in, a multiple of four, after padding what came before to whole blocks. The state
	* stays in locals, which makes it several times faster than word by word.
	*/
	blocks(words, count) {
		this.align();
		let { h1, h2, h3, h4 } = this;
		for (let i = 0; i < count; i += 4) {
			let k = Math.imul(words[i], C1);
			h1 ^= Math.imul(k << 15 | k >>> 17, C2);
			h1 = Math.imul((h1 << 19 | h1 >>> 13) + h2 | 0, 5) + 1444728091 | 0;
			k = Math.imul(words[i + 1], C2);
			h2 ^= Math.imul(k << 16 | k >>> 16, C3);
			h2 = Math.imul((h2 << 17 | h2 >>> 15) + h3 | 0, 5) + 197830471 | 0;
			k = Math.imul(words[i + 2], C3);
			h3 ^= Math.imul(k << 17 | k >>> 15, C4);
			h3 = Math.imul((h3 << 15 | h3 >>> 17) + h4 | 0, 5) + 2530024501 | 0;
			k = Math.imul(words[i + 3], C4);
			h4 ^= Math.imul(k << 18 | k >>> 14, C1);
			h4 = Math.imul((h4 << 13 | h4 >>> 19) + h1 | 0, 5) + 850148119 | 0;
		}
		this.h1 = h1;
		this.h2 = h2;
		this.h3 = h3;
		this.h4 = h4;
		this.words += count;
	}
	/** Writes the finished 128 bits as four words; the running state is left as it is. */
	finish(out, at = 0) {
		const length = this.words * 4;
		let h1 = this.h1 ^ length;
		let h2 = this.h2 ^ length;
		let h3 = this.h3 ^ length;
		let h4 = this.h4 ^ length;
		h1 = h1 + h2 + h3 + h4 | 0;
		h2 = h2 + h1 | 0;
		h3 = h3 + h1 | 0;
		h4 = h4 + h1 | 0;
		h1 = fmix(h1);
		h2 = fmix(h2);
		h3 = fmix(h3);
		h4 = fmix(h4);
		h1 = h1 + h2 + h3 + h4 | 0;
		out[at] = h1;
		out[at + 1] = h2 + h1;
		out[at + 2] = h3 + h1;
		out[at + 3] = h4 + h1;
	}
};
/** Four words as 32 lower-case hex digits. */
function wordsToHex(words, at = 0) {
	let text = "";
	for (let i = 0; i < 4; i++) text += words[at + i].toString(16).padStart(8, "0");
	return text;
}
// node_modules/@sinclair/typebox/build/esm/errors/function.mjs
/** Creates an error message using en-US as the default locale */
function DefaultErrorFunction(error) {
	switch (error.errorType) {
		case ValueErrorType.ArrayContains: return "Expected array to contain at least one matching value";
		case ValueErrorType.ArrayMaxContains: return `Expected array to contain no more than ${error.schema.maxContains} matching values`;
		case ValueErrorType.ArrayMinContains: return `Expected array to contain at least ${error.schema.minContains} matching values`;
		case ValueErrorType.ArrayMaxItems: return `Expected array length to be less or equal to ${error.schema.maxItems}`;
		case ValueErrorType.ArrayMinItems: return `Expected array length to be greater or equal to ${error.schema.minItems}`;
		case ValueErrorType.ArrayUniqueItems: return "Expected array elements to be unique";
		case ValueErrorType.Array: return "Expected array";
		case ValueErrorType.AsyncIterator: return "Expected AsyncIterator";
		case ValueErrorType.BigIntExclusiveMaximum: return `Expected bigint to be less than ${error.schema.exclusiveMaximum}`;
		case ValueErrorType.BigIntExclusiveMinimum: return `Expected bigint to be greater than ${error.schema.exclusiveMinimum}`;
		case ValueErrorType.BigIntMaximum: return `Expected bigint to be less or equal to ${error.schema.maximum}`;
		case ValueErrorType.BigIntMinimum: return `Expected bigint to be greater or equal to ${error.schema.minimum}`;
		case ValueErrorType.BigIntMultipleOf: return `Expected bigint to be a multiple of ${error.schema.multipleOf}`;
		case ValueErrorType.BigInt: return "Expected bigint";
		case ValueErrorType.Boolean: return "Expected boolean";
		case ValueErrorType.DateExclusiveMinimumTimestamp: return `Expected Date timestamp to be greater than ${error.schema.exclusiveMinimumTimestamp}`;
		case ValueErrorType.DateExclusiveMaximumTimestamp: return `Expected Date timestamp to be less than ${error.schema.exclusiveMaximumTimestamp}`;
		case ValueErrorType.DateMinimumTimestamp: return `Expected Date timestamp to be greater or equal to ${error.schema.minimumTimestamp}`;
		case ValueErrorType.DateMaximumTimestamp: return `Expected Date timestamp to be less or equal to ${error.schema.maximumTimestamp}`;
		case ValueErrorType.DateMultipleOfTimestamp: return `Expected Date timestamp to be a multiple of ${error.schema.multipleOfTimestamp}`;
		case ValueErrorType.Date: return "Expected Date";
		case ValueErrorType.Function: return "Expected function";
		case ValueErrorType.IntegerExclusiveMaximum: return `Expected integer to be less than ${error.schema.exclusiveMaximum}`;
		case ValueErrorType.IntegerExclusiveMinimum: return `Expected integer to be greater than ${error.schema.exclusiveMinimum}`;
		case ValueErrorType.IntegerMaximum: return `Expected integer to be less or equal to ${error.schema.maximum}`;
		case ValueErrorType.IntegerMinimum: return `Expected integer to be greater or equal to ${error.schema.minimum}`;
		case ValueErrorType.IntegerMultipleOf: return `Expected integer to be a multiple of ${error.schema.multipleOf}`;
		case ValueErrorType.Integer: return "Expected integer";
		case ValueErrorType.IntersectUnevaluatedProperties: return "Unexpected property";
		case ValueErrorType.Intersect: return "Expected all values to match";
		case ValueErrorType.Iterator: return "Expected Iterator";
		case ValueErrorType.Literal: return `Expected ${typeof error.schema.const === "string" ? `'${error.schema.const}'` : error.schema.const}`;
		case ValueErrorType.Never: return "Never";
		case ValueErrorType.Not: return "Value should not match";
		case ValueErrorType.Null: return "Expected null";
		case ValueErrorType.NumberExclusiveMaximum: return `Expected number to be less than ${error.schema.exclusiveMaximum}`;
		case ValueErrorType.NumberExclusiveMinimum: return `Expected number to be greater than ${error.schema.exclusiveMinimum}`;
		case ValueErrorType.NumberMaximum: return `Expected number to be less or equal to ${error.schema.maximum}`;
		case ValueErrorType.NumberMinimum: return `Expected number to be greater or equal to ${error.schema.minimum}`;
		case ValueErrorType.NumberMultipleOf: return `Expected number to be a multiple of ${error.schema.multipleOf}`;
		case ValueErrorType.Number: return "Expected number";
		case ValueErrorType.Object: return "Expected object";
		case ValueErrorType.ObjectAdditionalProperties: return "Unexpected property";
		case ValueErrorType.ObjectMaxProperties: return `Expected object to have no more than ${error.schema.maxProperties} properties`;
		case ValueErrorType.ObjectMinProperties: return `Expected object to have at least ${error.schema.minProperties} properties`;
		case ValueErrorType.ObjectRequiredProperty: return "Expected required property";
		case ValueErrorType.Promise: return "Expected Promise";
		case ValueErrorType.RegExp: return "Expected string to match regular expression";
		case ValueErrorType.StringFormatUnknown: return `Unknown format '${error.schema.format}'`;
		case ValueErrorType.StringFormat: return `Expected string to match '${error.schema.format}' format`;
		case ValueErrorType.StringMaxLength: return `Expected string length less or equal to ${error.schema.maxLength}`;
		case ValueErrorType.StringMinLength: return `Expected string length greater or equal to ${error.schema.minLength}`;
		case ValueErrorType.StringPattern: return `Expected string to match '${error.schema.pattern}'`;
		case ValueErrorType.String: return "Expected string";
		case ValueErrorType.Symbol: return "Expected symbol";
		case ValueErrorType.TupleLength: return `Expected tuple to have ${error.schema.maxItems || 0} elements`;
		case ValueErrorType.Tuple: return "Expected tuple";
		case ValueErrorType.Uint8ArrayMaxByteLength: return `Expected byte length less or equal to ${error.schema.maxByteLength}`;
		case ValueErrorType.Uint8ArrayMinByteLength: return `Expected byte length greater or equal to ${error.schema.minByteLength}`;
		case ValueErrorType.Uint8Array: return "Expected Uint8Array";
		case ValueErrorType.Undefined: return "Expected undefined";
		case ValueErrorType.Union: return "Expected union value";
		case ValueErrorType.Void: return "Expected void";
		case ValueErrorType.Kind: return `Expected kind '${error.schema[Kind]}'`;
		default: return "Unknown error type";
	}
}
/** Manages error message providers */
let errorFunction = DefaultErrorFunction;
/** Gets the error function used to generate error messages */
function GetErrorFunction() {
	return errorFunction;
}
// node_modules/@sinclair/typebox/build/esm/value/deref/deref.mjs
var TypeDereferenceError = class extends TypeBoxError {
	constructor(schema) {
		super(`Unable to dereference schema with $id '${schema.$ref}'`);
		this.schema = schema;
	}
};
function Resolve(schema, references) {
	const target = references.find((target) => target.$id === schema.$ref);
	if (target === void 0) throw new TypeDereferenceError(schema);
	return Deref(target, references);
}
/** `[Internal]` Pushes a schema onto references if the schema has an $id and does not exist on references */
function Pushref(schema, references) {
	if (!IsString$2(schema.$id) || references.some((target) => target.$id === schema.$id)) return references;
	references.push(schema);
	return references;
}
/** `[Internal]` Dereferences a schema from the references array or throws if not found */
function Deref(schema, references) {
	return schema[Kind] === "This" || schema[Kind] === "Ref" ? Resolve(schema, references) : schema;
}
// node_modules/@sinclair/typebox/build/esm/value/hash/hash.mjs
var ValueHashError = class extends TypeBoxError {
	constructor(value) {
		super(`Unable to hash value`);
		this.value = value;
	}
};
var ByteMarker;
(function(ByteMarker) {
	ByteMarker[ByteMarker["Undefined"] = 0] = "Undefined";
	ByteMarker[ByteMarker["Null"] = 1] = "Null";
	ByteMarker[ByteMarker["Boolean"] = 2] = "Boolean";
	ByteMarker[ByteMarker["Number"] = 3] = "Number";
	ByteMarker[ByteMarker["String"] = 4] = "String";
	ByteMarker[ByteMarker["Object"] = 5] = "Object";
	ByteMarker[ByteMarker["Array"] = 6] = "Array";
	ByteMarker[ByteMarker["Date"] = 7] = "Date";
	ByteMarker[ByteMarker["Uint8Array"] = 8] = "Uint8Array";
	ByteMarker[ByteMarker["Symbol"] = 9] = "Symbol";
	ByteMarker[ByteMarker["BigInt"] = 10] = "BigInt";
})(ByteMarker || (ByteMarker = {}));
let Accumulator = BigInt("14695981039346656037");
const [Prime, Size$1] = [BigInt("1099511628211"), BigInt("18446744073709551616")];
const Bytes = Array.from({ length: 256 }).map((_, i) => BigInt(i));
const F64 = /* @__PURE__ */ new Float64Array(1);
const F64In = new DataView(F64.buffer);
const F64Out = new Uint8Array(F64.buffer);
function* NumberToBytes(value) {
	const byteCount = value === 0 ? 1 : Math.ceil(Math.floor(Math.log2(value) + 1) / 8);
	for (let i = 0; i < byteCount; i++) yield value >> 8 * (byteCount - 1 - i) & 255;
}
function ArrayType(value) {
	FNV1A64(ByteMarker.Array);
	for (const item of value) Visit$2(item);
}
function BooleanType(value) {
	FNV1A64(ByteMarker.Boolean);
	FNV1A64(value ? 1 : 0);
}
function BigIntType(value) {
	FNV1A64(ByteMarker.BigInt);
	F64In.setBigInt64(0, value);
	for (const byte of F64Out) FNV1A64(byte);
}
function DateType(value) {
	FNV1A64(ByteMarker.Date);
	Visit$2(value.getTime());
}
function NullType(value) {
	FNV1A64(ByteMarker.Null);
}
function NumberType(value) {
	FNV1A64(ByteMarker.Number);
	F64In.setFloat64(0, value);
	for (const byte of F64Out) FNV1A64(byte);
}
function ObjectType(value) {
	FNV1A64(ByteMarker.Object);
	for (const key of globalThis.Object.getOwnPropertyNames(value).sort()) {
		Visit$2(key);
		Visit$2(value[key]);
	}
}
function StringType(value) {
	FNV1A64(ByteMarker.String);
	for (let i = 0; i < value.length; i++) for (const byte of NumberToBytes(value.charCodeAt(i))) FNV1A64(byte);
}
function SymbolType(value) {
	FNV1A64(ByteMarker.Symbol);
	Visit$2(value.description);
}
function Uint8ArrayType(value) {
	FNV1A64(ByteMarker.Uint8Array);
	for (let i = 0; i < value.length; i++) FNV1A64(value[i]);
}
function UndefinedType(value) {
	return FNV1A64(ByteMarker.Undefined);
}
function Visit$2(value) {
	if (IsArray$2(value)) return ArrayType(value);
	if (IsBoolean$2(value)) return BooleanType(value);
	if (IsBigInt$2(value)) return BigIntType(value);
	if (IsDate$2(value)) return DateType(value);
	if (IsNull$2(value)) return NullType(value);
	if (IsNumber$2(value)) return NumberType(value);
	if (IsObject$2(value)) return ObjectType(value);
	if (IsString$2(value)) return StringType(value);
	if (IsSymbol$2(value)) return SymbolType(value);
	if (IsUint8Array$2(value)) return Uint8ArrayType(value);
	if (IsUndefined$2(value)) return UndefinedType(value);
	throw new ValueHashError(value);
}
function FNV1A64(byte) {
	Accumulator = Accumulator ^ Bytes[byte];
	Accumulator = Accumulator * Prime % Size$1;
}
/** Creates a FNV1A-64 non cryptographic hash of the given value */
function Hash(value) {
	Accumulator = BigInt("14695981039346656037");
	Visit$2(value);
	return Accumulator;
}
// node_modules/@sinclair/typebox/build/esm/value/check/check.mjs
var ValueCheckUnknownTypeError = class extends TypeBoxError {
	constructor(schema) {
		super(`Unknown type`);
		this.schema = schema;
	}
};
function IsAnyOrUnknown(schema) {
	return schema[Kind] === "Any" || schema[Kind] === "Unknown";
}
function IsDefined$1(value) {
	return value !== void 0;
}
function FromAny$1(schema, references, value) {
	return true;
}
function FromArgument$1(schema, references, value) {
	return true;
}
function FromArray$1(schema, references, value) {
	if (!IsArray$2(value)) return false;
	if (IsDefined$1(schema.minItems) && !(value.length >= schema.minItems)) return false;
	if (IsDefined$1(schema.maxItems) && !(value.length <= schema.maxItems)) return false;
	for (const element of value) if (!Visit$1(schema.items, references, element)) return false;
	if (schema.uniqueItems === true && !(function() {
		const set = /* @__PURE__ */ new Set();
		for (const element of value) {
			const hashed = Hash(element);
			if (set.has(hashed)) return false;
			else set.add(hashed);
		}
		return true;
	})()) return false;
	if (!(IsDefined$1(schema.contains) || IsNumber$2(schema.minContains) || IsNumber$2(schema.maxContains))) return true;
	const containsSchema = IsDefined$1(schema.contains) ? schema.contains : Never();
	const containsCount = value.reduce((acc, value) => Visit$1(containsSchema, references, value) ? acc + 1 : acc, 0);
	if (containsCount === 0) return false;
	if (IsNumber$2(schema.minContains) && containsCount < schema.minContains) return false;
	if (IsNumber$2(schema.maxContains) && containsCount > schema.maxContains) return false;
	return true;
}
function FromAsyncIterator$1(schema, references, value) {
	return IsAsyncIterator$2(value);
}
function FromBigInt$1(schema, references, value) {
	if (!IsBigInt$2(value)) return false;
	if (IsDefined$1(schema.exclusiveMaximum) && !(value < schema.exclusiveMaximum)) return false;
	if (IsDefined$1(schema.exclusiveMinimum) && !(value > schema.exclusiveMinimum)) return false;
	if (IsDefined$1(schema.maximum) && !(value <= schema.maximum)) return false;
	if (IsDefined$1(schema.minimum) && !(value >= schema.minimum)) return false;
	if (IsDefined$1(schema.multipleOf) && !(value % schema.multipleOf === BigInt(0))) return false;
	return true;
}
function FromBoolean$1(schema, references, value) {
	return IsBoolean$2(value);
}
function FromConstructor$1(schema, references, value) {
	return Visit$1(schema.returns, references, value.prototype);
}
function FromDate$1(schema, references, value) {
	if (!IsDate$2(value)) return false;
	if (IsDefined$1(schema.exclusiveMaximumTimestamp) && !(value.getTime() < schema.exclusiveMaximumTimestamp)) return false;
	if (IsDefined$1(schema.exclusiveMinimumTimestamp) && !(value.getTime() > schema.exclusiveMinimumTimestamp)) return false;
	if (IsDefined$1(schema.maximumTimestamp) && !(value.getTime() <= schema.maximumTimestamp)) return false;
	if (IsDefined$1(schema.minimumTimestamp) && !(value.getTime() >= schema.minimumTimestamp)) return false;
	if (IsDefined$1(schema.multipleOfTimestamp) && !(value.getTime() % schema.multipleOfTimestamp === 0)) return false;
	return true;
}
function FromFunction$1(schema, references, value) {
	return IsFunction$2(value);
}
function FromImport$1(schema, references, value) {
	const definitions = globalThis.Object.values(schema.$defs);
	const target = schema.$defs[schema.$ref];
	return Visit$1(target, [...references, ...definitions], value);
}
function FromInteger$1(schema, references, value) {
	if (!IsInteger$2(value)) return false;
	if (IsDefined$1(schema.exclusiveMaximum) && !(value < schema.exclusiveMaximum)) return false;
	if (IsDefined$1(schema.exclusiveMinimum) && !(value > schema.exclusiveMinimum)) return false;
	if (IsDefined$1(schema.maximum) && !(value <= schema.maximum)) return false;
	if (IsDefined$1(schema.minimum) && !(value >= schema.minimum)) return false;
	if (IsDefined$1(schema.multipleOf) && !(value % schema.multipleOf === 0)) return false;
	return true;
}
function FromIntersect$1(schema, references, value) {
	const check1 = schema.allOf.every((schema) => Visit$1(schema, references, value));
	if (schema.unevaluatedProperties === false) {
		const keyPattern = new RegExp(KeyOfPattern(schema));
		const check2 = Object.getOwnPropertyNames(value).every((key) => keyPattern.test(key));
		return check1 && check2;
	} else if (IsSchema$1(schema.unevaluatedProperties)) {
		const keyCheck = new RegExp(KeyOfPattern(schema));
		const check2 = Object.getOwnPropertyNames(value).every((key) => keyCheck.test(key) || Visit$1(schema.unevaluatedProperties, references, value[key]));
		return check1 && check2;
	} else return check1;
}
function FromIterator$1(schema, references, value) {
	return IsIterator$2(value);
}
function FromLiteral$1(schema, references, value) {
	return value === schema.const;
}
function FromNever$1(schema, references, value) {
	return false;
}
function FromNot$1(schema, references, value) {
	return !Visit$1(schema.not, references, value);
}
function FromNull$1(schema, references, value) {
	return IsNull$2(value);
}
function FromNumber$1(schema, references, value) {
	if (!TypeSystemPolicy.IsNumberLike(value)) return false;
	if (IsDefined$1(schema.exclusiveMaximum) && !(value < schema.exclusiveMaximum)) return false;
	if (IsDefined$1(schema.exclusiveMinimum) && !(value > schema.exclusiveMinimum)) return false;
	if (IsDefined$1(schema.minimum) && !(value >= schema.minimum)) return false;
	if (IsDefined$1(schema.maximum) && !(value <= schema.maximum)) return false;
	if (IsDefined$1(schema.multipleOf) && !(value % schema.multipleOf === 0)) return false;
	return true;
}
function FromObject$1(schema, references, value) {
	if (!TypeSystemPolicy.IsObjectLike(value)) return false;
	if (IsDefined$1(schema.minProperties) && !(Object.getOwnPropertyNames(value).length >= schema.minProperties)) return false;
	if (IsDefined$1(schema.maxProperties) && !(Object.getOwnPropertyNames(value).length <= schema.maxProperties)) return false;
	const knownKeys = Object.getOwnPropertyNames(schema.properties);
	for (const knownKey of knownKeys) {
		const property = schema.properties[knownKey];
		if (schema.required && schema.required.includes(knownKey)) {
			if (!Visit$1(property, references, value[knownKey])) return false;
			if ((ExtendsUndefinedCheck(property) || IsAnyOrUnknown(property)) && !(knownKey in value)) return false;
		} else if (TypeSystemPolicy.IsExactOptionalProperty(value, knownKey) && !Visit$1(property, references, value[knownKey])) return false;
	}
	if (schema.additionalProperties === false) {
		const valueKeys = Object.getOwnPropertyNames(value);
		if (schema.required && schema.required.length === knownKeys.length && valueKeys.length === knownKeys.length) return true;
		else return valueKeys.every((valueKey) => knownKeys.includes(valueKey));
	} else if (typeof schema.additionalProperties === "object") return Object.getOwnPropertyNames(value).every((key) => knownKeys.includes(key) || Visit$1(schema.additionalProperties, references, value[key]));
	else return true;
}
function FromPromise$1(schema, references, value) {
	return IsPromise$2(value);
}
function FromRecord$1(schema, references, value) {
	if (!TypeSystemPolicy.IsRecordLike(value)) return false;
	if (IsDefined$1(schema.minProperties) && !(Object.getOwnPropertyNames(value).length >= schema.minProperties)) return false;
	if (IsDefined$1(schema.maxProperties) && !(Object.getOwnPropertyNames(value).length <= schema.maxProperties)) return false;
	const [patternKey, patternSchema] = Object.entries(schema.patternProperties)[0];
	const regex = new RegExp(patternKey);
	const check1 = Object.entries(value).every(([key, value]) => {
		return regex.test(key) ? Visit$1(patternSchema, references, value) : true;
	});
	const check2 = typeof schema.additionalProperties === "object" ? Object.entries(value).every(([key, value]) => {
		return !regex.test(key) ? Visit$1(schema.additionalProperties, references, value) : true;
	}) : true;
	const check3 = schema.additionalProperties === false ? Object.getOwnPropertyNames(value).every((key) => {
		return regex.test(key);
	}) : true;
	return check1 && check2 && check3;
}
function FromRef$1(schema, references, value) {
	return Visit$1(Deref(schema, references), references, value);
}
function FromRegExp$1(schema, references, value) {
	const regex = new RegExp(schema.source, schema.flags);
	if (IsDefined$1(schema.minLength)) {
		if (!(value.length >= schema.minLength)) return false;
	}
	if (IsDefined$1(schema.maxLength)) {
		if (!(value.length <= schema.maxLength)) return false;
	}
	return regex.test(value);
}
function FromString$1(schema, references, value) {
	if (!IsString$2(value)) return false;
	if (IsDefined$1(schema.minLength)) {
		if (!(value.length >= schema.minLength)) return false;
	}
	if (IsDefined$1(schema.maxLength)) {
		if (!(value.length <= schema.maxLength)) return false;
	}
	if (IsDefined$1(schema.pattern)) {
		if (!new RegExp(schema.pattern).test(value)) return false;
	}
	if (IsDefined$1(schema.format)) {
		if (!Has$1(schema.format)) return false;
		return Get$1(schema.format)(value);
	}
	return true;
}
function FromSymbol$1(schema, references, value) {
	return IsSymbol$2(value);
}
function FromTemplateLiteral$1(schema, references, value) {
	return IsString$2(value) && new RegExp(schema.pattern).test(value);
}
function FromThis$1(schema, references, value) {
	return Visit$1(Deref(schema, references), references, value);
}
function FromTuple$1(schema, references, value) {
	if (!IsArray$2(value)) return false;
	if (schema.items === void 0 && !(value.length === 0)) return false;
	if (!(value.length === schema.maxItems)) return false;
	if (!schema.items) return true;
	for (let i = 0; i < schema.items.length; i++) if (!Visit$1(schema.items[i], references, value[i])) return false;
	return true;
}
function FromUndefined$1(schema, references, value) {
	return IsUndefined$2(value);
}
function FromUnion$1(schema, references, value) {
	return schema.anyOf.some((inner) => Visit$1(inner, references, value));
}
function FromUint8Array$1(schema, references, value) {
	if (!IsUint8Array$2(value)) return false;
	if (IsDefined$1(schema.maxByteLength) && !(value.length <= schema.maxByteLength)) return false;
	if (IsDefined$1(schema.minByteLength) && !(value.length >= schema.minByteLength)) return false;
	return true;
}
function FromUnknown$1(schema, references, value) {
	return true;
}
function FromVoid$1(schema, references, value) {
	return TypeSystemPolicy.IsVoidLike(value);
}
function FromKind$1(schema, references, value) {
	if (!Has(schema[Kind])) return false;
	return Get(schema[Kind])(schema, value);
}
function Visit$1(schema, references, value) {
	const references_ = IsDefined$1(schema.$id) ? Pushref(schema, references) : references;
	const schema_ = schema;
	switch (schema_[Kind]) {
		case "Any": return FromAny$1(schema_, references_, value);
		case "Argument": return FromArgument$1(schema_, references_, value);
		case "Array": return FromArray$1(schema_, references_, value);
		case "AsyncIterator": return FromAsyncIterator$1(schema_, references_, value);
		case "BigInt": return FromBigInt$1(schema_, references_, value);
		case "Boolean": return FromBoolean$1(schema_, references_, value);
		case "Constructor": return FromConstructor$1(schema_, references_, value);
		case "Date": return FromDate$1(schema_, references_, value);
		case "Function": return FromFunction$1(schema_, references_, value);
		case "Import": return FromImport$1(schema_, references_, value);
		case "Integer": return FromInteger$1(schema_, references_, value);
		case "Intersect": return FromIntersect$1(schema_, references_, value);
		case "Iterator": return FromIterator$1(schema_, references_, value);
		case "Literal": return FromLiteral$1(schema_, references_, value);
		case "Never": return FromNever$1(schema_, references_, value);
		case "Not": return FromNot$1(schema_, references_, value);
		case "Null": return FromNull$1(schema_, references_, value);
		case "Number": return FromNumber$1(schema_, references_, value);
		case "Object": return FromObject$1(schema_, references_, value);
		case "Promise": return FromPromise$1(schema_, references_, value);
		case "Record": return FromRecord$1(schema_, references_, value);
		case "Ref": return FromRef$1(schema_, references_, value);
		case "RegExp": return FromRegExp$1(schema_, references_, value);
		case "String": return FromString$1(schema_, references_, value);
		case "Symbol": return FromSymbol$1(schema_, references_, value);
		case "TemplateLiteral": return FromTemplateLiteral$1(schema_, references_, value);
		case "This": return FromThis$1(schema_, references_, value);
		case "Tuple": return FromTuple$1(schema_, references_, value);
		case "Undefined": return FromUndefined$1(schema_, references_, value);
		case "Union": return FromUnion$1(schema_, references_, value);
		case "Uint8Array": return FromUint8Array$1(schema_, references_, value);
		case "Unknown": return FromUnknown$1(schema_, references_, value);
		case "Void": return FromVoid$1(schema_, references_, value);
		default:
			if (!Has(schema_[Kind])) throw new ValueCheckUnknownTypeError(schema_);
			return FromKind$1(schema_, references_, value);
	}
}
/** Returns true if the value matches the given type. */
function Check(...args) {
	return args.length === 3 ? Visit$1(args[0], args[1], args[2]) : Visit$1(args[0], [], args[1]);
}
// node_modules/@sinclair/typebox/build/esm/errors/errors.mjs
var ValueErrorType;
(function(ValueErrorType) {
	ValueErrorType[ValueErrorType["ArrayContains"] = 0] = "ArrayContains";
	ValueErrorType[ValueErrorType["ArrayMaxContains"] = 1] = "ArrayMaxContains";
	ValueErrorType[ValueErrorType["ArrayMaxItems"] = 2] = "ArrayMaxItems";
	ValueErrorType[ValueErrorType["ArrayMinContains"] = 3] = "ArrayMinContains";
	ValueErrorType[ValueErrorType["ArrayMinItems"] = 4] = "ArrayMinItems";
	ValueErrorType[ValueErrorType["ArrayUniqueItems"] = 5] = "ArrayUniqueItems";
	ValueErrorType[ValueErrorType["Array"] = 6] = "Array";
	ValueErrorType[ValueErrorType["AsyncIterator"] = 7] = "AsyncIterator";
	ValueErrorType[ValueErrorType["BigIntExclusiveMaximum"] = 8] = "BigIntExclusiveMaximum";
	ValueErrorType[ValueErrorType["BigIntExclusiveMinimum"] = 9] = "BigIntExclusiveMinimum";
	ValueErrorType[ValueErrorType["BigIntMaximum"] = 10] = "BigIntMaximum";
	ValueErrorType[ValueErrorType["BigIntMinimum"] = 11] = "BigIntMinimum";
	ValueErrorType[ValueErrorType["BigIntMultipleOf"] = 12] = "BigIntMultipleOf";
	ValueErrorType[ValueErrorType["BigInt"] = 13] = "BigInt";
	ValueErrorType[ValueErrorType["Boolean"] = 14] = "Boolean";
	ValueErrorType[ValueErrorType["DateExclusiveMaximumTimestamp"] = 15] = "DateExclusiveMaximumTimestamp";
	ValueErrorType[ValueErrorType["DateExclusiveMinimumTimestamp"] = 16] = "DateExclusiveMinimumTimestamp";
	ValueErrorType[ValueErrorType["DateMaximumTimestamp"] = 17] = "DateMaximumTimestamp";
	ValueErrorType[ValueErrorType["DateMinimumTimestamp"] = 18] = "DateMinimumTimestamp";
	ValueErrorType[ValueErrorType["DateMultipleOfTimestamp"] = 19] = "DateMultipleOfTimestamp";
	ValueErrorType[ValueErrorType["Date"] = 20] = "Date";
	ValueErrorType[ValueErrorType["Function"] = 21] = "Function";
	ValueErrorType[ValueErrorType["IntegerExclusiveMaximum"] = 22] = "IntegerExclusiveMaximum";
	ValueErrorType[ValueErrorType["IntegerExclusiveMinimum"] = 23] = "IntegerExclusiveMinimum";
	ValueErrorType[ValueErrorType["IntegerMaximum"] = 24] = "IntegerMaximum";
	ValueErrorType[ValueErrorType["IntegerMinimum"] = 25] = "IntegerMinimum";
	ValueErrorType[ValueErrorType["IntegerMultipleOf"] = 26] = "IntegerMultipleOf";
	ValueErrorType[ValueErrorType["Integer"] = 27] = "Integer";
	ValueErrorType[ValueErrorType["IntersectUnevaluatedProperties"] = 28] = "IntersectUnevaluatedProperties";
	ValueErrorType[ValueErrorType["Intersect"] = 29] = "Intersect";
	ValueErrorType[ValueErrorType["Iterator"] = 30] = "Iterator";
	ValueErrorType[ValueErrorType["Kind"] = 31] = "Kind";
	ValueErrorType[ValueErrorType["Literal"] = 32] = "Literal";
	ValueErrorType[ValueErrorType["Never"] = 33] = "Never";
	ValueErrorType[ValueErrorType["Not"] = 34] = "Not";
	ValueErrorType[ValueErrorType["Null"] = 35] = "Null";
	ValueErrorType[ValueErrorType["NumberExclusiveMaximum"] = 36] = "NumberExclusiveMaximum";
	ValueErrorType[ValueErrorType["NumberExclusiveMinimum"] = 37] = "NumberExclusiveMinimum";
	ValueErrorType[ValueErrorType["NumberMaximum"] = 38] = "NumberMaximum";
	ValueErrorType[ValueErrorType["NumberMinimum"] = 39] = "NumberMinimum";
	ValueErrorType[ValueErrorType["NumberMultipleOf"] = 40] = "NumberMultipleOf";
	ValueErrorType[ValueErrorType["Number"] = 41] = "Number";
	ValueErrorType[ValueErrorType["ObjectAdditionalProperties"] = 42] = "ObjectAdditionalProperties";
	ValueErrorType[ValueErrorType["ObjectMaxProperties"] = 43] = "ObjectMaxProperties";
	ValueErrorType[ValueErrorType["ObjectMinProperties"] = 44] = "ObjectMinProperties";
	ValueErrorType[ValueErrorType["ObjectRequiredProperty"] = 45] = "ObjectRequiredProperty";
	ValueErrorType[ValueErrorType["Object"] = 46] = "Object";
	ValueErrorType[ValueErrorType["Promise"] = 47] = "Promise";
	ValueErrorType[ValueErrorType["RegExp"] = 48] = "RegExp";
	ValueErrorType[ValueErrorType["StringFormatUnknown"] = 49] = "StringFormatUnknown";
	ValueErrorType[ValueErrorType["StringFormat"] = 50] = "StringFormat";
	ValueErrorType[ValueErrorType["StringMaxLength"] = 51] = "StringMaxLength";
	ValueErrorType[ValueErrorType["StringMinLength"] = 52] = "StringMinLength";
	ValueErrorType[ValueErrorType["StringPattern"] = 53] = "StringPattern";
	ValueErrorType[ValueErrorType["String"] = 54] = "String";
	ValueErrorType[ValueErrorType["Symbol"] = 55] = "Symbol";
	ValueErrorType[ValueErrorType["TupleLength"] = 56] = "TupleLength";
	ValueErrorType[ValueErrorType["Tuple"] = 57] = "Tuple";
	ValueErrorType[ValueErrorType["Uint8ArrayMaxByteLength"] = 58] = "Uint8ArrayMaxByteLength";
	ValueErrorType[ValueErrorType["Uint8ArrayMinByteLength"] = 59] = "Uint8ArrayMinByteLength";
	ValueErrorType[ValueErrorType["Uint8Array"] = 60] = "Uint8Array";
	ValueErrorType[ValueErrorType["Undefined"] = 61] = "Undefined";
	ValueErrorType[ValueErrorType["Union"] = 62] = "Union";
	ValueErrorType[ValueErrorType["Void"] = 63] = "Void";
})(ValueErrorType || (ValueErrorType = {}));
var ValueErrorsUnknownTypeError = class extends TypeBoxError {
	constructor(schema) {
		super("Unknown type");
		this.schema = schema;
	}
};
function EscapeKey(key) {
	return key.replace(/~/g, "~0").replace(/\//g, "~1");
}
function IsDefined(value) {
	return value !== void 0;
}
var ValueErrorIterator = class {
	constructor(iterator) {
		this.iterator = iterator;
	}
	[Symbol.iterator]() {
		return this.iterator;
	}
	/** Returns the first value error or undefined if no errors */
	First() {
		const next = this.iterator.next();
		return next.done ? void 0 : next.value;
	}
};
function Create(errorType, schema, path, value, errors = []) {
	return {
		type: errorType,
		schema,
		path,
		value,
		message: GetErrorFunction()({
			errorType,
			path,
			schema,
			value,
			errors
		}),
		errors
	};
}
function* FromAny(schema, references, path, value) {}
function* FromArgument(schema, references, path, value) {}
function* FromArray(schema, references, path, value) {
	if (!IsArray$2(value)) return yield Create(ValueErrorType.Array, schema, path, value);
	if (IsDefined(schema.minItems) && !(value.length >= schema.minItems)) yield Create(ValueErrorType.ArrayMinItems, schema, path, value);
	if (IsDefined(schema.maxItems) && !(value.length <= schema.maxItems)) yield Create(ValueErrorType.ArrayMaxItems, schema, path, value);
	for (let i = 0; i < value.length; i++) yield* Visit(schema.items, references, `${path}/${i}`, value[i]);
	if (schema.uniqueItems === true && !(function() {
		const set = /* @__PURE__ */ new Set();
		for (const element of value) {
			const hashed = Hash(element);
			if (set.has(hashed)) return false;
			else set.add(hashed);
		}
		return true;
	})()) yield Create(ValueErrorType.ArrayUniqueItems, schema, path, value);
	if (!(IsDefined(schema.contains) || IsDefined(schema.minContains) || IsDefined(schema.maxContains))) return;
	const containsSchema = IsDefined(schema.contains) ? schema.contains : Never();
	const containsCount = value.reduce((acc, value, index) => Visit(containsSchema, references, `${path}${index}`, value).next().done === true ? acc + 1 : acc, 0);
	if (containsCount === 0) yield Create(ValueErrorType.ArrayContains, schema, path, value);
	if (IsNumber$2(schema.minContains) && containsCount < schema.minContains) yield Create(ValueErrorType.ArrayMinContains, schema, path, value);
	if (IsNumber$2(schema.maxContains) && containsCount > schema.maxContains) yield Create(ValueErrorType.ArrayMaxContains, schema, path, value);
}
function* FromAsyncIterator(schema, references, path, value) {
	if (!IsAsyncIterator$2(value)) yield Create(ValueErrorType.AsyncIterator, schema, path, value);
}
function* FromBigInt(schema, references, path, value) {
	if (!IsBigInt$2(value)) return yield Create(ValueErrorType.BigInt, schema, path, value);
	if (IsDefined(schema.exclusiveMaximum) && !(value < schema.exclusiveMaximum)) yield Create(ValueErrorType.BigIntExclusiveMaximum, schema, path, value);
	if (IsDefined(schema.exclusiveMinimum) && !(value > schema.exclusiveMinimum)) yield Create(ValueErrorType.BigIntExclusiveMinimum, schema, path, value);
	if (IsDefined(schema.maximum) && !(value <= schema.maximum)) yield Create(ValueErrorType.BigIntMaximum, schema, path, value);
	if (IsDefined(schema.minimum) && !(value >= schema.minimum)) yield Create(ValueErrorType.BigIntMinimum, schema, path, value);
	if (IsDefined(schema.multipleOf) && !(value % schema.multipleOf === BigInt(0))) yield Create(ValueErrorType.BigIntMultipleOf, schema, path, value);
}
function* FromBoolean(schema, references, path, value) {
	if (!IsBoolean$2(value)) yield Create(ValueErrorType.Boolean, schema, path, value);
}
function* FromConstructor(schema, references, path, value) {
	yield* Visit(schema.returns, references, path, value.prototype);
}
function* FromDate(schema, references, path, value) {
	if (!IsDate$2(value)) return yield Create(ValueErrorType.Date, schema, path, value);
	if (IsDefined(schema.exclusiveMaximumTimestamp) && !(value.getTime() < schema.exclusiveMaximumTimestamp)) yield Create(ValueErrorType.DateExclusiveMaximumTimestamp, schema, path, value);
	if (IsDefined(schema.exclusiveMinimumTimestamp) && !(value.getTime() > schema.exclusiveMinimumTimestamp)) yield Create(ValueErrorType.DateExclusiveMinimumTimestamp, schema, path, value);
	if (IsDefined(schema.maximumTimestamp) && !(value.getTime() <= schema.maximumTimestamp)) yield Create(ValueErrorType.DateMaximumTimestamp, schema, path, value);
	if (IsDefined(schema.minimumTimestamp) && !(value.getTime() >= schema.minimumTimestamp)) yield Create(ValueErrorType.DateMinimumTimestamp, schema, path, value);
	if (IsDefined(schema.multipleOfTimestamp) && !(value.getTime() % schema.multipleOfTimestamp === 0)) yield Create(ValueErrorType.DateMultipleOfTimestamp, schema, path, value);
}
function* FromFunction(schema, references, path, value) {
	if (!IsFunction$2(value)) yield Create(ValueErrorType.Function, schema, path, value);
}
function* FromImport(schema, references, path, value) {
	const definitions = globalThis.Object.values(schema.$defs);
	const target = schema.$defs[schema.$ref];
	yield* Visit(target, [...references, ...definitions], path, value);
}
function* FromInteger(schema, references, path, value) {
	if (!IsInteger$2(value)) return yield Create(ValueErrorType.Integer, schema, path, value);
	if (IsDefined(schema.exclusiveMaximum) && !(value < schema.exclusiveMaximum)) yield Create(ValueErrorType.IntegerExclusiveMaximum, schema, path, value);
	if (IsDefined(schema.exclusiveMinimum) && !(value > schema.exclusiveMinimum)) yield Create(ValueErrorType.IntegerExclusiveMinimum, schema, path, value);
	if (IsDefined(schema.maximum) && !(value <= schema.maximum)) yield Create(ValueErrorType.IntegerMaximum, schema, path, value);
	if (IsDefined(schema.minimum) && !(value >= schema.minimum)) yield Create(ValueErrorType.IntegerMinimum, schema, path, value);
	if (IsDefined(schema.multipleOf) && !(value % schema.multipleOf === 0)) yield Create(ValueErrorType.IntegerMultipleOf, schema, path, value);
}
function* FromIntersect(schema, references, path, value) {
	let hasError = false;
	for (const inner of schema.allOf) for (const error of Visit(inner, references, path, value)) {
		hasError = true;
		yield error;
	}
	if (hasError) return yield Create(ValueErrorType.Intersect, schema, path, value);
	if (schema.unevaluatedProperties === false) {
		const keyCheck = new RegExp(KeyOfPattern(schema));
		for (const valueKey of Object.getOwnPropertyNames(value)) if (!keyCheck.test(valueKey)) yield Create(ValueErrorType.IntersectUnevaluatedProperties, schema, `${path}/${valueKey}`, value);
	}
	if (typeof schema.unevaluatedProperties === "object") {
		const keyCheck = new RegExp(KeyOfPattern(schema));
		for (const valueKey of Object.getOwnPropertyNames(value)) if (!keyCheck.test(valueKey)) {
			const next = Visit(schema.unevaluatedProperties, references, `${path}/${valueKey}`, value[valueKey]).next();
			if (!next.done) yield next.value;
		}
	}
}
function* FromIterator(schema, references, path, value) {
	if (!IsIterator$2(value)) yield Create(ValueErrorType.Iterator, schema, path, value);
}
function* FromLiteral(schema, references, path, value) {
	if (!(value === schema.const)) yield Create(ValueErrorType.Literal, schema, path, value);
}
function* FromNever(schema, references, path, value) {
	yield Create(ValueErrorType.Never, schema, path, value);
}
function* FromNot(schema, references, path, value) {
	if (Visit(schema.not, references, path, value).next().done === true) yield Create(ValueErrorType.Not, schema, path, value);
}
function* FromNull(schema, references, path, value) {
	if (!IsNull$2(value)) yield Create(ValueErrorType.Null, schema, path, value);
}
function* FromNumber(schema, references, path, value) {
	if (!TypeSystemPolicy.IsNumberLike(value)) return yield Create(ValueErrorType.Number, schema, path, value);
	if (IsDefined(schema.exclusiveMaximum) && !(value < schema.exclusiveMaximum)) yield Create(ValueErrorType.NumberExclusiveMaximum, schema, path, value);
	if (IsDefined(schema.exclusiveMinimum) && !(value > schema.exclusiveMinimum)) yield Create(ValueErrorType.NumberExclusiveMinimum, schema, path, value);
	if (IsDefined(schema.maximum) && !(value <= schema.maximum)) yield Create(ValueErrorType.NumberMaximum, schema, path, value);
	if (IsDefined(schema.minimum) && !(value >= schema.minimum)) yield Create(ValueErrorType.NumberMinimum, schema, path, value);
	if (IsDefined(schema.multipleOf) && !(value % schema.multipleOf === 0)) yield Create(ValueErrorType.NumberMultipleOf, schema, path, value);
}
function* FromObject(schema, references, path, value) {
	if (!TypeSystemPolicy.IsObjectLike(value)) return yield Create(ValueErrorType.Object, schema, path, value);
	if (IsDefined(schema.minProperties) && !(Object.getOwnPropertyNames(value).length >= schema.minProperties)) yield Create(ValueErrorType.ObjectMinProperties, schema, path, value);
	if (IsDefined(schema.maxProperties) && !(Object.getOwnPropertyNames(value).length <= schema.maxProperties)) yield Create(ValueErrorType.ObjectMaxProperties, schema, path, value);
	const requiredKeys = Array.isArray(schema.required) ? schema.required : [];
	const knownKeys = Object.getOwnPropertyNames(schema.properties);
	const unknownKeys = Object.getOwnPropertyNames(value);
	for (const requiredKey of requiredKeys) {
		if (unknownKeys.includes(requiredKey)) continue;
		yield Create(ValueErrorType.ObjectRequiredProperty, schema.properties[requiredKey], `${path}/${EscapeKey(requiredKey)}`, void 0);
	}
	if (schema.additionalProperties === false) {
		for (const valueKey of unknownKeys) if (!knownKeys.includes(valueKey)) yield Create(ValueErrorType.ObjectAdditionalProperties, schema, `${path}/${EscapeKey(valueKey)}`, value[valueKey]);
	}
	if (typeof schema.additionalProperties === "object") for (const valueKey of unknownKeys) {
		if (knownKeys.includes(valueKey)) continue;
		yield* Visit(schema.additionalProperties, references, `${path}/${EscapeKey(valueKey)}`, value[valueKey]);
	}
	for (const knownKey of knownKeys) {
		const property = schema.properties[knownKey];
		if (schema.required && schema.required.includes(knownKey)) {
			yield* Visit(property, references, `${path}/${EscapeKey(knownKey)}`, value[knownKey]);
			if (ExtendsUndefinedCheck(schema) && !(knownKey in value)) yield Create(ValueErrorType.ObjectRequiredProperty, property, `${path}/${EscapeKey(knownKey)}`, void 0);
		} else if (TypeSystemPolicy.IsExactOptionalProperty(value, knownKey)) yield* Visit(property, references, `${path}/${EscapeKey(knownKey)}`, value[knownKey]);
	}
}
function* FromPromise(schema, references, path, value) {
	if (!IsPromise$2(value)) yield Create(ValueErrorType.Promise, schema, path, value);
}
function* FromRecord(schema, references, path, value) {
	if (!TypeSystemPolicy.IsRecordLike(value)) return yield Create(ValueErrorType.Object, schema, path, value);
	if (IsDefined(schema.minProperties) && !(Object.getOwnPropertyNames(value).length >= schema.minProperties)) yield Create(ValueErrorType.ObjectMinProperties, schema, path, value);
	if (IsDefined(schema.maxProperties) && !(Object.getOwnPropertyNames(value).length <= schema.maxProperties)) yield Create(ValueErrorType.ObjectMaxProperties, schema, path, value);
	const [patternKey, patternSchema] = Object.entries(schema.patternProperties)[0];
	const regex = new RegExp(patternKey);
	for (const [propertyKey, propertyValue] of Object.entries(value)) if (regex.test(propertyKey)) yield* Visit(patternSchema, references, `${path}/${EscapeKey(propertyKey)}`, propertyValue);
	if (typeof schema.additionalProperties === "object") {
		for (const [propertyKey, propertyValue] of Object.entries(value)) if (!regex.test(propertyKey)) yield* Visit(schema.additionalProperties, references, `${path}/${EscapeKey(propertyKey)}`, propertyValue);
	}
	if (schema.additionalProperties === false) for (const [propertyKey, propertyValue] of Object.entries(value)) {
		if (regex.test(propertyKey)) continue;
		return yield Create(ValueErrorType.ObjectAdditionalProperties, schema, `${path}/${EscapeKey(propertyKey)}`, propertyValue);
	}
}
function* FromRef(schema, references, path, value) {
	yield* Visit(Deref(schema, references), references, path, value);
}
function* FromRegExp(schema, references, path, value) {
	if (!IsString$2(value)) return yield Create(ValueErrorType.String, schema, path, value);
	if (IsDefined(schema.minLength) && !(value.length >= schema.minLength)) yield Create(ValueErrorType.StringMinLength, schema, path, value);
	if (IsDefined(schema.maxLength) && !(value.length <= schema.maxLength)) yield Create(ValueErrorType.StringMaxLength, schema, path, value);
	if (!new RegExp(schema.source, schema.flags).test(value)) return yield Create(ValueErrorType.RegExp, schema, path, value);
}
function* FromString(schema, references, path, value) {
	if (!IsString$2(value)) return yield Create(ValueErrorType.String, schema, path, value);
	if (IsDefined(schema.minLength) && !(value.length >= schema.minLength)) yield Create(ValueErrorType.StringMinLength, schema, path, value);
	if (IsDefined(schema.maxLength) && !(value.length <= schema.maxLength)) yield Create(ValueErrorType.StringMaxLength, schema, path, value);
	if (IsString$2(schema.pattern)) {
		if (!new RegExp(schema.pattern).test(value)) yield Create(ValueErrorType.StringPattern, schema, path, value);
	}
	if (IsString$2(schema.format)) {
		if (!Has$1(schema.format)) yield Create(ValueErrorType.StringFormatUnknown, schema, path, value);
		else if (!Get$1(schema.format)(value)) yield Create(ValueErrorType.StringFormat, schema, path, value);
	}
}
function* FromSymbol(schema, references, path, value) {
	if (!IsSymbol$2(value)) yield Create(ValueErrorType.Symbol, schema, path, value);
}
function* FromTemplateLiteral(schema, references, path, value) {
	if (!IsString$2(value)) return yield Create(ValueErrorType.String, schema, path, value);
	if (!new RegExp(schema.pattern).test(value)) yield Create(ValueErrorType.StringPattern, schema, path, value);
}
function* FromThis(schema, references, path, value) {
	yield* Visit(Deref(schema, references), references, path, value);
}
function* FromTuple(schema, references, path, value) {
	if (!IsArray$2(value)) return yield Create(ValueErrorType.Tuple, schema, path, value);
	if (schema.items === void 0 && !(value.length === 0)) return yield Create(ValueErrorType.TupleLength, schema, path, value);
	if (!(value.length === schema.maxItems)) return yield Create(ValueErrorType.TupleLength, schema, path, value);
	if (!schema.items) return;
	for (let i = 0; i < schema.items.length; i++) yield* Visit(schema.items[i], references, `${path}/${i}`, value[i]);
}
function* FromUndefined(schema, references, path, value) {
	if (!IsUndefined$2(value)) yield Create(ValueErrorType.Undefined, schema, path, value);
}
function* FromUnion(schema, references, path, value) {
	if (Check(schema, references, value)) return;
	const errors = schema.anyOf.map((variant) => new ValueErrorIterator(Visit(variant, references, path, value)));
	yield Create(ValueErrorType.Union, schema, path, value, errors);
}
function* FromUint8Array(schema, references, path, value) {
	if (!IsUint8Array$2(value)) return yield Create(ValueErrorType.Uint8Array, schema, path, value);
	if (IsDefined(schema.maxByteLength) && !(value.length <= schema.maxByteLength)) yield Create(ValueErrorType.Uint8ArrayMaxByteLength, schema, path, value);
	if (IsDefined(schema.minByteLength) && !(value.length >= schema.minByteLength)) yield Create(ValueErrorType.Uint8ArrayMinByteLength, schema, path, value);
}
function* FromUnknown(schema, references, path, value) {}
function* FromVoid(schema, references, path, value) {
	if (!TypeSystemPolicy.IsVoidLike(value)) yield Create(ValueErrorType.Void, schema, path, value);
}
function* FromKind(schema, references, path, value) {
	if (!Get(schema[Kind])(schema, value)) yield Create(ValueErrorType.Kind, schema, path, value);
}
function* Visit(schema, references, path, value) {
	const references_ = IsDefined(schema.$id) ? [...references, schema] : references;
	const schema_ = schema;
	switch (schema_[Kind]) {
		case "Any": return yield* FromAny(schema_, references_, path, value);
		case "Argument": return yield* FromArgument(schema_, references_, path, value);
		case "Array": return yield* FromArray(schema_, references_, path, value);
		case "AsyncIterator": return yield* FromAsyncIterator(schema_, references_, path, value);
		case "BigInt": return yield* FromBigInt(schema_, references_, path, value);
		case "Boolean": return yield* FromBoolean(schema_, references_, path, value);
		case "Constructor": return yield* FromConstructor(schema_, references_, path, value);
		case "Date": return yield* FromDate(schema_, references_, path, value);
		case "Function": return yield* FromFunction(schema_, references_, path, value);
		case "Import": return yield* FromImport(schema_, references_, path, value);
		case "Integer": return yield* FromInteger(schema_, references_, path, value);
		case "Intersect": return yield* FromIntersect(schema_, references_, path, value);
		case "Iterator": return yield* FromIterator(schema_, references_, path, value);
		case "Literal": return yield* FromLiteral(schema_, references_, path, value);
		case "Never": return yield* FromNever(schema_, references_, path, value);
		case "Not": return yield* FromNot(schema_, references_, path, value);
		case "Null": return yield* FromNull(schema_, references_, path, value);
		case "Number": return yield* FromNumber(schema_, references_, path, value);
		case "Object": return yield* FromObject(schema_, references_, path, value);
		case "Promise": return yield* FromPromise(schema_, references_, path, value);
		case "Record": return yield* FromRecord(schema_, references_, path, value);
		case "Ref": return yield* FromRef(schema_, references_, path, value);
		case "RegExp": return yield* FromRegExp(schema_, references_, path, value);
		case "String": return yield* FromString(schema_, references_, path, value);
		case "Symbol": return yield* FromSymbol(schema_, references_, path, value);
		case "TemplateLiteral": return yield* FromTemplateLiteral(schema_, references_, path, value);
		case "This": return yield* FromThis(schema_, references_, path, value);
		case "Tuple": return yield* FromTuple(schema_, references_, path, value);
		case "Undefined": return yield* FromUndefined(schema_, references_, path, value);
		case "Union": return yield* FromUnion(schema_, references_, path, value);
		case "Uint8Array": return yield* FromUint8Array(schema_, references_, path, value);
		case "Unknown": return yield* FromUnknown(schema_, references_, path, value);
		case "Void": return yield* FromVoid(schema_, references_, path, value);
		default:
			if (!Has(schema_[Kind])) throw new ValueErrorsUnknownTypeError(schema);
			return yield* FromKind(schema_, references_, path, value);
	}
}
/** Returns an iterator for each error in this value. */
function Errors(...args) {
	return new ValueErrorIterator(args.length === 3 ? Visit(args[0], args[1], "", args[2]) : Visit(args[0], [], "", args[1]));
}
// envs/core/schema.ts
/** What a schema asks for, in words. */
function asked(schema) {
	if (Array.isArray(schema.anyOf)) return schema.anyOf.map(asked).join(" or ");
	if ("const" in schema) return JSON.stringify(schema.const);
	const { type, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
	const name = type === "integer" ? "a whole number" : type === "number" ? "a number" : type === "null" ? "null" : `a${/^[aeiou]/.test(String(type)) ? "n" : ""} ${String(type ?? "value")}`;
	const range = (low, high, unit) => low !== void 0 && high !== void 0 ? ` of ${low} to ${high}${unit}` : low !== void 0 ? ` of ${low}${unit} or more` : high !== void 0 ? ` of ${high}${unit} or less` : "";
	return name + range(minimum, maximum, "") + range(minLength, maxLength, " characters") + range(minItems, maxItems, " items") + (pattern === void 0 ? "" : ` matching ${pattern}`);
}
function property(schema, path) {
	let here = schema;
	for (const part of path.split("/").slice(1)) here = here?.properties?.[part] ?? here?.items;
	return here;
}
/** Choices of a union of literals, or undefined. */
function choices(schema) {
	const any = schema?.anyOf;
	if (any === void 0 || !any.every((option) => typeof option.const === "string")) return void 0;
	return any.map((option) => String(option.const));
}
function toError(schema, error, where) {
	const at = error.path.split("/").slice(1).join(".");
	const place = at === "" ? where : `${where}: ${at}`;
	const parent = property(schema, error.path.slice(0, error.path.lastIndexOf("/")));
	if (error.message.startsWith("Unexpected property")) {
		const known = Object.keys((parent ?? schema).properties ?? {});
		const nearest = nearestName(error.path.slice(error.path.lastIndexOf("/") + 1), known);
		return new TroupeError("bad-option", {
			where: place,
			got: "not known here",
			expected: known.length === 0 ? "no fields" : `one of ${known.join(", ")}`,
			...nearest === void 0 ? {} : { nearest: `"${nearest}"` }
		});
	}
	const wanted = property(schema, error.path) ?? error.schema;
	const literals = choices(wanted);
	const nearest = literals !== void 0 && typeof error.value === "string" ? nearestName(error.value, literals) : void 0;
	return new TroupeError("bad-option", {
		where: place,
		got: error.value === void 0 ? "missing" : shown(error.value),
		expected: literals !== void 0 ? `one of ${literals.join(", ")}` : asked(wanted),
		...nearest === void 0 ? {} : { nearest: `"${nearest}"` }
	});
}
/**
* Checks plain data against a schema. Nothing is coerced.
* @param where the door, for the message
* @throws TroupeError bad-option naming the field, what came, what was expected and the nearest name
*/
function check(schema, value, where) {
	if (Check(schema, value)) return value;
	let first;
	for (const error of Errors(schema, value)) {
		first ??= error;
		if (error.message.startsWith("Unexpected property")) {
			first = error;
			break;
		}
	}
	if (first === void 0) throw new TroupeError("bad-option", {
		where,
		got: shown(value),
		expected: asked(schema)
	});
	throw toError(schema, first, where);
}
/**
* Fills the defaults of a flat record of options, then checks it.
* @throws TroupeError bad-option
*/
function withDefaults(schema, value, where) {
	if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TroupeError("bad-option", {
		where,
		got: shown(value),
		expected: "an object of options"
	});
	const filled = /* @__PURE__ */ new Map();
	for (const [name, field] of Object.entries(schema.properties)) if ("default" in field) filled.set(name, structuredCopy(field.default));
	for (const [name, given] of Object.entries(value)) if (given !== void 0) filled.set(name, given);
	return check(schema, Object.fromEntries(filled), where);
}
/** A deep copy of plain JSON data. */
function structuredCopy(value) {
	if (Array.isArray(value)) return value.map(structuredCopy);
	if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, structuredCopy(part)]));
	return value;
}
// envs/core/spaces.ts
/** Choices per dimension; empty for box. */
function actionSizes(space) {
	if (space.kind === "discrete") return [space.names.length];
	if (space.kind === "multi-discrete") return space.dimensions.map((dimension) => dimension.values.length);
	return [];
}
/** Numbers per action. */
function actionDims(space) {
	return space.kind === "discrete" ? 1 : space.dimensions.length;
}
/** '0 stay, 1 left, 2 right' of one dimension, for messages. */
function actionChoices(space, dimension) {
	if (space.kind === "box") {
		const { low, high } = space.dimensions[dimension];
		return `a number of ${low} to ${high}`;
	}
	return (space.kind === "discrete" ? space.names : space.dimensions[dimension].values).map((name, index) => `${index} ${name}`).join(", ");
}
/** Sizes per dimension padded to the largest over agents; all agents must have the same kind and dimensions. */
function paddedSizes(agents, where) {
	const sizes = [];
	for (const agent of agents) {
		if (agent.action.kind !== agents[0].action.kind || actionDims(agent.action) !== actionDims(agents[0].action)) throw new TroupeError("bad-option", {
			where: `${where}: action of ${agent.id}`,
			got: `${agent.action.kind} with ${actionDims(agent.action)} dimensions`,
			expected: `the same kind and dimensions as ${agents[0].id}: ${agents[0].action.kind} with ${actionDims(agents[0].action)}`
		});
		actionSizes(agent.action).forEach((size, dimension) => {
			sizes[dimension] = Math.max(sizes[dimension] ?? 0, size);
		});
	}
	return sizes;
}
// node_modules/@scure/base/index.js
/*! scure-base - MIT License (c) 2022 Paul Miller (paulmillr.com) */
const freeze = (fn) => Object.freeze(fn());
function isBytes(a) {
	return a instanceof Uint8Array || ArrayBuffer.isView(a) && a.constructor.name === "Uint8Array" && "BYTES_PER_ELEMENT" in a && a.BYTES_PER_ELEMENT === 1;
}
/** Asserts something is Uint8Array. */
function abytes(b) {
	if (!isBytes(b)) throw new TypeError("Uint8Array expected");
}
function astr(label, input) {
	if (typeof input !== "string") throw new TypeError(`${label}: string expected`);
	return true;
}
function anumber(n, title = "number") {
	if (typeof n !== "number") throw new TypeError(`${title}: expected number, got ${typeof n}`);
	if (!Number.isSafeInteger(n)) throw new RangeError(`${title}: expected safe integer, got ${n}`);
}
function chain(...args) {
	const id = (a) => a;
	const wrap = (a, b) => (c) => a(b(c));
	return {
		encode: args.map((x) => x.encode).reduceRight(wrap, id),
		decode: args.map((x) => x.decode).reduce(wrap, id)
	};
}
const powers = /* @__PURE__ */ (() => {
	let res = [];
	for (let i = 0; i < 40; i++) res.push(2 ** i);
	return res;
})();
const asciiDecoder = /* @__PURE__ */ (() => {
	try {
		const decoder = new TextDecoder();
		return decoder.decode(Uint8Array.of(65, 48, 43, 127)) === "A0+" ? decoder : void 0;
	} catch (e) {
		return;
	}
})();
const B2S_CHUNK = 8192;
function charcodesToString(codes) {
	const len = codes.length;
	if (asciiDecoder !== void 0 && len >= 12) return asciiDecoder.decode(codes);
	if (len <= B2S_CHUNK) return String.fromCharCode.apply(null, codes);
	let res = "";
	for (let i = 0; i < len; i += B2S_CHUNK) res += String.fromCharCode.apply(null, codes.subarray(i, i + B2S_CHUNK));
	return res;
}
/**
* Linear 8 <-> bits regrouping (radix2Slow semantics), with Uint8Array digits and
* preallocated output.
*/
function radix2(bits) {
	anumber(bits);
	if (bits <= 0 || bits > 8) throw new RangeError("radix2: bits should be in (0..8]");
	const mask = powers[bits] - 1;
	return {
		encode: (bytes) => {
			abytes(bytes);
			const len = bytes.length;
			const res = new Uint8Array(Math.ceil(len * 8 / bits));
			let carry = 0;
			let pos = 0;
			let j = 0;
			for (let i = 0; i < len;) {
				if (i + 2 < len) {
					carry = carry << 24 | bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
					pos += 24;
					i += 3;
				} else {
					carry = (carry << 8 | bytes[i]) & 65535;
					pos += 8;
					i++;
				}
				for (;;) {
					pos -= bits;
					res[j++] = carry >> pos & mask;
					if (pos < bits) break;
				}
			}
			if (pos > 0) res[j] = carry << bits - pos & mask;
			return res;
		},
		decode: (digits) => {
			const len = digits.length;
			const res = new Uint8Array(Math.floor(len * bits / 8));
			let carry = 0;
			let pos = 0;
			let j = 0;
			for (let i = 0; i < len; i++) {
				carry = (carry << bits | digits[i]) & 65535;
				pos += bits;
				for (; pos >= 8; pos -= 8) res[j++] = carry >> pos - 8 & 255;
			}
			carry = carry << 8 - pos & 255;
			if (pos >= bits) throw new Error("Excess padding");
			if (carry > 0) throw new Error(`Non-zero padding: ${carry}`);
			return res;
		}
	};
}
/**
* Digit <-> letter mapping fused with string join (chain(alphabetSlow(letters), join(''))
* semantics), via char-code lookup tables.
*/
function alphabet(letters, aliases) {
	const len = letters.length;
	if (len > 128) throw new Error("alphabet: max 128 letters");
	const encTable = new Uint8Array(len);
	const decTable = (/* @__PURE__ */ new Int8Array(128)).fill(-1);
	for (let i = 0; i < len; i++) {
		const code = letters.charCodeAt(i);
		if (letters.codePointAt(i) !== code || code > 127) throw new Error("alphabet: single-char ASCII letters only");
		encTable[i] = code;
		decTable[code] = i;
	}
	if (aliases !== void 0) for (const alias of Object.keys(aliases)) {
		const code = alias.charCodeAt(0);
		const target = decTable[aliases[alias].charCodeAt(0)];
		if (alias.length !== 1 || code > 127 || target === void 0 || target === -1) throw new Error(`alphabet: invalid alias ${alias}`);
		decTable[code] = target;
	}
	return {
		encode: (digits) => {
			const codes = new Uint8Array(digits.length);
			for (let i = 0; i < digits.length; i++) {
				const d = digits[i];
				const code = encTable[d];
				if (code === void 0) throw new Error(`alphabet.encode: invalid digit ${d}`);
				codes[i] = code;
			}
			return charcodesToString(codes);
		},
		decode: (input) => {
			astr("decode", input);
			const slen = input.length;
			const digits = new Uint8Array(slen);
			for (let i = 0; i < slen; i++) {
				const code = input.charCodeAt(i);
				const digit = code < 128 ? decTable[code] : -1;
				if (digit === -1) throw new Error(`Unknown letter "${input[i]}". Allowed: ${letters}`);
				digits[i] = digit;
			}
			return digits;
		}
	};
}
/**
* Pad / unpad (paddingSlow semantics), on the joined string.
*/
function padding(bits, chr = "=") {
	anumber(bits);
	astr("padding", chr);
	return {
		encode(data) {
			while (data.length * bits % 8) data += chr;
			return data;
		},
		decode(input) {
			astr("decode", input);
			let end = input.length;
			if (end * bits % 8) throw new Error("padding: invalid length");
			for (; end > 0 && input[end - 1] === chr; end--) if ((end - 1) * bits % 8 === 0) throw new Error("padding: excess padding");
			return input.slice(0, end);
		}
	};
}
const hasBase64Builtin = /* @__PURE__ */ (() => typeof Uint8Array.from([]).toBase64 === "function" && typeof Uint8Array.fromBase64 === "function")();
const ASCII_WHITESPACE = /[\t\n\f\r ]/;
const decodeBase64Builtin = (s, isUrl) => {
	astr("base64", s);
	const alphabet = isUrl ? "base64url" : "base64";
	if (s.length > 0 && ASCII_WHITESPACE.test(s)) throw new Error("invalid base64");
	return Uint8Array.fromBase64(s, {
		alphabet,
		lastChunkHandling: "strict"
	});
};
/** base64 from RFC 4648. Padded. Pure JS version */
const base64Fallback = /* @__PURE__ */ freeze(() => chain(radix2(6), alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"), padding(6)));
/**
* base64 from RFC 4648. Padded.
* Alternative variants: `base64nopad`, `base64url`, `base64urlnopad`.
* Utilizes native `Uint8Array.fromBase64` builtin, otherwise falls back to `base64fallback` when it's unavailable.
* @example
* ```js
* base64.encode(Uint8Array.from([0x12, 0xab]));
* // => 'Eqs='
* base64.decode('Eqs=');
* // => Uint8Array.from([0x12, 0xab])
* ```
*/
const base64 = /* @__PURE__ */ freeze(() => hasBase64Builtin ? {
	encode(b) {
		abytes(b);
		return b.toBase64();
	},
	decode(s) {
		return decodeBase64Builtin(s, false);
	}
} : base64Fallback);
// envs/core/batch.ts
/**
* The shared machinery around the rules of a world: option checks, seats, seeds, horizon, autoreset, action checks,
* returns, final observations, snapshots and state digests. Authors write `Rules`; this file does the rest once.
*/
const MAX_LANES = 1 << 20;
/** Options every environment has, added to its own. */
function fullOptions(definition) {
	return Type.Object({
		...definition.options.properties,
		horizon: Type.Union([Type.Integer({
			minimum: 1,
			maximum: 1e7
		}), Type.Null()], {
			default: definition.horizon,
			description: "Steps after which an episode is cut; null = never."
		}),
		horizonEnds: Type.Union([Type.Literal("truncation"), Type.Literal("termination")], {
			default: "truncation",
			description: "How the cut is reported. termination: as packages do that know no truncation (no bootstrap)."
		})
	}, { additionalProperties: false });
}
/** The world index of every controlled agent, in batch order. */
function seatsOf(world, control, where) {
	const ids = world.agents.map((agent) => agent.id);
	if (control === void 0 || control === "all") return ids.map((_, index) => index);
	if (!Array.isArray(control)) throw new TroupeError("bad-option", {
		where: `${where}: control`,
		got: shown(control),
		expected: `'all' or a list of agents`
	});
	const seats = control.map((wanted) => {
		const index = typeof wanted === "number" ? wanted : ids.indexOf(wanted);
		if (typeof wanted === "string" && index < 0) throw unknownName(`${where}: controlled agent`, wanted, ids);
		if (!Number.isInteger(index) || index < 0 || index >= ids.length) throw new TroupeError("bad-option", {
			where: `${where}: controlled agent`,
			got: shown(wanted),
			expected: `an index of 0 to ${ids.length - 1}, or one of ${ids.slice(0, 24).join(", ")}`
		});
		return index;
	});
	if (new Set(seats).size !== seats.length || seats.length === 0) throw new TroupeError("bad-option", {
		where: `${where}: control`,
		got: shown(control),
		expected: "at least one agent, each at most once"
	});
	return seats;
}
/** What the core relies on in a spec; the contract checks the rest. */
function checkWorld(world, where) {
	if (world.agents.length === 0) throw new TroupeError("bad-option", {
		where: `${where}: agents`,
		got: "an empty list",
		expected: "at least one agent"
	});
	const ids = world.agents.map((agent) => agent.id);
	const twice = ids.find((id, index) => ids.indexOf(id) !== index);
	if (twice !== void 0) throw new TroupeError("bad-option", {
		where: `${where}: agents`,
		got: `a list with ${shown(twice)} twice`,
		expected: "unique ids"
	});
}
/** Checked options with defaults filled in. */
function openOptions(definition, options) {
	const filled = withDefaults(fullOptions(definition), options ?? {}, `${definition.id} options`);
	if (definition.horizonOf !== void 0 && options?.horizon === void 0) filled.horizon = definition.horizonOf(filled);
	return filled;
}
/**
* The spec of an environment for one choice of options and seats, without allocating a batch.
* @throws TroupeError bad-option or unknown-name
*/
function envSpec(definition, options = {}, control) {
	const filled = openOptions(definition, options);
	const world = definition.spec(filled);
	checkWorld(world, definition.id);
	const seats = seatsOf(world, control, definition.id);
	const agents = seats.map((seat) => world.agents[seat]);
	const sizes = paddedSizes(world.agents, definition.id);
	return {
		env: definition.id,
		version: definition.version,
		options: filled,
		agents,
		seats,
		world,
		observationSize: Math.max(...agents.map((agent) => agent.observation.length)),
		stateSize: world.state.length,
		agentStateSize: world.agentState?.length ?? 0,
		actionKind: agents[0].action.kind,
		actionSize: sizes.reduce((sum, size) => sum + size, 0),
		actionDims: actionDims(agents[0].action),
		actionSizes: sizes,
		horizon: filled.horizon,
		horizonEnds: filled.horizonEnds,
		metrics: [...world.metrics, "episodeLength"]
	};
}
/** Base64 of the little-endian bytes of part of an array. */
function packRow(array, from, to) {
	const part = array.subarray(from, to);
	return base64.encode(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
}
function unpackRow(text, array, from, to, where) {
	const part = array.subarray(from, to);
	const target = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
	let bytes;
	try {
		bytes = base64.decode(typeof text === "string" ? text : "");
	} catch {
		throw new TroupeError("bad-file", {
			where,
			got: "not base64",
			expected: `base64 of ${target.length} bytes`
		});
	}
	if (bytes.length !== target.length) throw new TroupeError("bad-file", {
		where,
		got: `${bytes.length} bytes`,
		expected: `${target.length} bytes`
	});
	target.set(bytes);
}
var Batch = class {
	spec;
	lanes;
	firstLane;
	autoreset;
	observation;
	state;
	agentState;
	mask;
	alive;
	episodeStart;
	reward;
	terminated;
	truncated;
	finalObservation;
	finalState;
	finalAgentState;
	finalMask;
	finalAlive;
	stepCount;
	returns;
	finalReturns;
	finalLength;
	rewardTerms;
	rules;
	port;
	observing;
	seeds;
	random;
	streams;
	/** World streams draw chance; a world with none and no driven agents needs no seed. */
	needsSeed;
	undriven;
	worldMask;
	worldAlive;
	worldReward;
	worldReturns;
	finalMetricValues;
	episode;
	given;
	running;
	starting;
	ended;
	seed = /* @__PURE__ */ new Uint32Array(4);
	digest = new Digest();
	digestOut = /* @__PURE__ */ new Uint32Array(4);
	views;
	gathered;
	started = false;
	constructor(definition, options, settings) {
		const where = definition.id;
		const lanes = settings.lanes ?? 1;
		const firstLane = settings.firstLane ?? 0;
		if (!Number.isInteger(lanes) || lanes < 1 || lanes > MAX_LANES) throw new TroupeError("bad-option", {
			where: `${where}: lanes`,
			got: shown(lanes),
			expected: `a whole number of 1 to ${MAX_LANES}`
		});
		if (!Number.isInteger(firstLane) || firstLane < 0) throw new TroupeError("bad-option", {
			where: `${where}: firstLane`,
			got: shown(firstLane),
			expected: "a whole number of 0 or more"
		});
		const autoreset = settings.autoreset ?? "same-step";
		if (![
			"same-step",
			"next-step",
			"disabled"
		].includes(autoreset)) throw unknownName(`${where}: autoreset`, String(autoreset), [
			"same-step",
			"next-step",
			"disabled"
		]);
		const spec = envSpec(definition, options, settings.control);
		const B = lanes;
		const N = spec.agents.length;
		const M = spec.world.agents.length;
		const A = spec.actionSize;
		this.spec = spec;
		this.lanes = lanes;
		this.firstLane = firstLane;
		this.autoreset = autoreset;
		this.observing = settings.observe ?? true;
		this.seeds = settings.seeds ?? ((lane, episode) => episodeSeed("0", "train", lane, episode));
		const whole = N === M && spec.seats.every((seat, index) => seat === index);
		const driven = spec.world.agents.map((_, index) => index).filter((index) => !spec.seats.includes(index));
		this.undriven = Int32Array.from(driven);
		this.needsSeed = spec.world.streams.length > 0 || driven.length > 0;
		this.streams = spec.world.streams.length + 1;
		this.random = new Uint32Array(B * this.streams * 4);
		this.observation = new Float32Array(B * N * spec.observationSize);
		this.state = new Float32Array(B * spec.stateSize);
		this.worldMask = new Uint8Array(B * M * A).fill(1);
		this.worldAlive = new Uint8Array(B * M).fill(1);
		this.worldReward = new Float32Array(B * M);
		this.worldReturns = new Float64Array(B * M);
		this.mask = whole ? this.worldMask : new Uint8Array(B * N * A).fill(1);
		this.alive = whole ? this.worldAlive : new Uint8Array(B * N).fill(1);
		this.reward = whole ? this.worldReward : new Float32Array(B * N);
		this.returns = whole ? this.worldReturns : new Float64Array(B * N);
		this.episodeStart = new Uint8Array(B);
		this.terminated = new Uint8Array(B);
		this.truncated = new Uint8Array(B);
		this.stepCount = new Int32Array(B);
		this.finalObservation = new Float32Array(this.observation.length);
		this.finalState = new Float32Array(this.state.length);
		this.finalMask = new Uint8Array(B * N * A);
		this.finalAlive = new Uint8Array(B * N);
		this.finalReturns = new Float64Array(B * N);
		this.finalLength = new Int32Array(B);
		const agentState = new Float32Array(B * N * spec.agentStateSize);
		if (spec.agentStateSize > 0) {
			this.agentState = agentState;
			this.finalAgentState = new Float32Array(agentState.length);
		}
		this.finalMetricValues = new Float64Array(B * spec.world.metrics.length);
		this.metricValues = new Float64Array(spec.world.metrics.length);
		this.episode = new Int32Array(B).fill(-1);
		this.given = new Array(B).fill(null);
		this.running = new Int32Array(B);
		this.starting = new Int32Array(B);
		this.ended = new Uint8Array(B);
		const words = B * M * spec.actionDims;
		this.port = {
			lanes: B,
			agents: M,
			seats: Int32Array.from(spec.seats),
			observation: this.observation,
			observationSize: spec.observationSize,
			state: this.state,
			stateSize: spec.stateSize,
			agentState,
			agentStateSize: spec.agentStateSize,
			mask: this.worldMask,
			actionSize: A,
			alive: this.worldAlive,
			reward: this.worldReward,
			terminated: this.terminated,
			action: spec.actionKind === "box" ? new Float32Array(words) : new Int32Array(words),
			actionDims: spec.actionDims,
			step: this.stepCount,
			random: this.random,
			streams: this.streams
		};
		this.rules = definition.create(spec.options, this.port);
		const { rules } = this;
		if (rules.rewardTerms !== void 0) this.rewardTerms = (lane) => rules.rewardTerms(this.checkLane(lane));
		this.views = Object.entries(rules.arrays).map(([name, array]) => {
			if (array.length % B !== 0) throw new TroupeError("bad-option", {
				where: `${where}: state array ${name}`,
				got: `${array.length} elements`,
				expected: `a multiple of ${B} lanes`
			});
			return rowView(name, array, B);
		});
		if (this.needsSeed) this.views.push(rowView("random", this.random, B));
		const rowWords = this.views.reduce((sum, view) => sum + view.rowWords, 2);
		this.gathered = new Uint32Array(Math.ceil(rowWords / 4) * 4);
	}
	metricValues;
	get world() {
		return this.rules.world;
	}
	checkLane(lane) {
		if (!Number.isInteger(lane) || lane < 0 || lane >= this.lanes) throw new TroupeError("bad-usage", {
			where: `${this.spec.env}: lane`,
			got: shown(lane),
			expected: `a whole number of 0 to ${this.lanes - 1}`
		});
		return lane;
	}
	reset(seeds, lanes) {
		if (lanes !== void 0 && lanes.length !== this.lanes) throw new TroupeError("bad-usage", {
			where: `${this.spec.env}: reset lanes`,
			got: `${lanes.length} bytes`,
			expected: `${this.lanes}, one per lane`
		});
		if (seeds !== void 0 && seeds.length !== this.lanes) throw new TroupeError("bad-usage", {
			where: `${this.spec.env}: reset seeds`,
			got: `${seeds.length} seeds`,
			expected: `${this.lanes}, one per lane`
		});
		if (!this.started && lanes !== void 0 && lanes.some((byte) => byte === 0)) throw new TroupeError("bad-usage", {
			where: `${this.spec.env}: first reset`,
			got: "part of the lanes",
			expected: "all lanes"
		});
		let count = 0;
		for (let lane = 0; lane < this.lanes; lane++) {
			if (lanes !== void 0 && lanes[lane] === 0) continue;
			const seed = seeds?.[lane];
			if (seeds !== void 0 && seed != null) seedWords(seed, this.seed);
			this.starting[count++] = lane;
		}
		const M = this.port.agents;
		for (let k = 0; k < count; k++) {
			const lane = this.starting[k];
			this.given[lane] = seeds?.[lane] ?? null;
			this.terminated[lane] = 0;
			this.truncated[lane] = 0;
			for (let i = lane * M; i < (lane + 1) * M; i++) this.worldReward[i] = 0;
		}
		this.started = true;
		this.begin(count);
	}
	/** Starts the next episode in the first `count` lanes of `starting`, whose `given` seeds are set. */
	begin(count) {
		const { starting, stepCount, worldReturns, streams, random } = this;
		const M = this.port.agents;
		for (let k = 0; k < count; k++) {
			const lane = starting[k];
			this.episode[lane]++;
			if (this.needsSeed) {
				seedWords(this.given[lane] ?? this.seeds(this.firstLane + lane, this.episode[lane]), this.seed);
				for (let stream = 0; stream < streams; stream++) seedStream(random, (lane * streams + stream) * 4, this.seed, stream);
			}
			stepCount[lane] = 0;
			for (let i = lane * M; i < (lane + 1) * M; i++) worldReturns[i] = 0;
			if (this.returns !== worldReturns) this.seatRow(lane);
			this.ended[lane] = 0;
			this.episodeStart[lane] = 1;
		}
		this.rules.reset(starting, count);
		this.refresh(starting, count);
	}
	/** Writes masks, aliveness and observations of the listed lanes. */
	refresh(lanes, count) {
		this.rules.legal?.(lanes, count);
		if (this.mask !== this.worldMask) for (let k = 0; k < count; k++) this.seatMask(lanes[k]);
		if (this.observing) this.rules.observe(lanes, count);
	}
	seatMask(lane) {
		const { seats, agents: M, actionSize: A } = this.port;
		const N = seats.length;
		for (let n = 0; n < N; n++) {
			const from = (lane * M + seats[n]) * A;
			const to = (lane * N + n) * A;
			for (let a = 0; a < A; a++) this.mask[to + a] = this.worldMask[from + a];
			this.alive[lane * N + n] = this.worldAlive[lane * M + seats[n]];
		}
	}
	seatRow(lane) {
		const { seats, agents: M } = this.port;
		const N = seats.length;
		for (let n = 0; n < N; n++) {
			this.reward[lane * N + n] = this.worldReward[lane * M + seats[n]];
			this.returns[lane * N + n] = this.worldReturns[lane * M + seats[n]];
		}
	}
	step(action) {
		this.checkActions(action);
		const { running, starting, ended, terminated, truncated, stepCount, worldReward } = this;
		const M = this.port.agents;
		const disabled = this.autoreset === "disabled";
		let count = 0;
		let begun = 0;
		for (let lane = 0; lane < this.lanes; lane++) if (ended[lane] === 0) running[count++] = lane;
		else {
			for (let i = lane * M; i < (lane + 1) * M; i++) worldReward[i] = 0;
			if (this.reward !== worldReward) this.seatRow(lane);
			if (disabled) continue;
			terminated[lane] = 0;
			truncated[lane] = 0;
			this.given[lane] = null;
			starting[begun++] = lane;
		}
		this.fillActions(action, count);
		this.rules.step(running, count);
		this.addRewards(count);
		const { episodeStart } = this;
		const horizon = this.spec.horizon ?? 0;
		const cut = this.spec.horizonEnds === "termination" ? terminated : truncated;
		let endings = 0;
		for (let k = 0; k < count; k++) {
			const lane = running[k];
			episodeStart[lane] = 0;
			truncated[lane] = 0;
			const steps = ++stepCount[lane];
			if (terminated[lane] !== 0) endings++;
			else if (steps === horizon) {
				cut[lane] = 1;
				endings++;
			}
		}
		this.refresh(running, count);
		if (endings > 0) {
			const together = endings === this.lanes;
			if (together) this.keepFinalOfAll();
			let restart = 0;
			for (let k = 0; k < count; k++) {
				const lane = running[k];
				if (terminated[lane] === 0 && truncated[lane] === 0) continue;
				if (!together) this.keepFinal(lane);
				if (this.autoreset === "same-step") {
					this.given[lane] = null;
					starting[restart++] = lane;
				} else ended[lane] = 1;
			}
			if (restart > 0) this.begin(restart);
		}
		if (begun > 0) this.begin(begun);
	}
	/** Adds the step's rewards to the returns of the first `count` lanes of `running`. */
	addRewards(count) {
		const { running, reward, worldReward, worldReturns } = this;
		if (count === this.lanes && reward === worldReward) {
			for (let i = 0; i < worldReward.length; i++) worldReturns[i] += worldReward[i];
			return;
		}
		const M = this.port.agents;
		for (let k = 0; k < count; k++) {
			const lane = running[k];
			for (let i = lane * M; i < (lane + 1) * M; i++) worldReturns[i] += worldReward[i];
			if (reward !== worldReward) this.seatRow(lane);
		}
	}
	/** Copies what the ended episodes of all lanes show last: `keepFinal` for every lane in one go. */
	keepFinalOfAll() {
		this.finalObservation.set(this.observation);
		this.finalState.set(this.state);
		if (this.agentState !== void 0) this.finalAgentState.set(this.agentState);
		this.finalMask.set(this.mask);
		this.finalAlive.set(this.alive);
		this.finalReturns.set(this.returns);
		this.finalLength.set(this.stepCount);
		for (let lane = 0; lane < this.lanes; lane++) this.keepMetrics(lane);
	}
	/** Copies what the ended episode shows last. */
	keepFinal(lane) {
		const { spec } = this;
		const N = spec.agents.length;
		const F = spec.observationSize;
		copyRow(this.observation, this.finalObservation, lane, N * F);
		copyRow(this.state, this.finalState, lane, spec.stateSize);
		if (this.agentState !== void 0) copyRow(this.agentState, this.finalAgentState, lane, N * spec.agentStateSize);
		copyRow(this.mask, this.finalMask, lane, N * spec.actionSize);
		copyRow(this.alive, this.finalAlive, lane, N);
		copyRow(this.returns, this.finalReturns, lane, N);
		this.finalLength[lane] = this.stepCount[lane];
		this.keepMetrics(lane);
	}
	keepMetrics(lane) {
		const { metricValues, finalMetricValues } = this;
		this.rules.metrics(lane, metricValues);
		const from = lane * metricValues.length;
		for (let m = 0; m < metricValues.length; m++) finalMetricValues[from + m] = metricValues[m];
	}
	/** Copies checked actions into world order and lets the world drive the agents that nobody controls. */
	fillActions(action, count) {
		const { seats, agents: M, actionDims: D, action: into } = this.port;
		if (seats.length === M && this.undriven.length === 0) {
			if (this.mask === this.worldMask) {
				into.set(action);
				return;
			}
		}
		const N = seats.length;
		for (let lane = 0; lane < this.lanes; lane++) for (let n = 0; n < N; n++) {
			const from = (lane * N + n) * D;
			const to = (lane * M + seats[n]) * D;
			for (let d = 0; d < D; d++) into[to + d] = action[from + d];
		}
		if (this.undriven.length === 0) return;
		if (this.rules.control !== void 0) this.rules.control(this.running, count, this.undriven);
		else this.driveAtRandom(count);
	}
	/** Uniform legal choices for undriven agents, from the lane's last stream. */
	driveAtRandom(count) {
		const { agents: M, actionDims: D, actionSize: A, action: into } = this.port;
		const { world } = this.spec;
		for (let k = 0; k < count; k++) {
			const lane = this.running[k];
			const at = (lane * this.streams + this.streams - 1) * 4;
			for (const agent of this.undriven) {
				const row = lane * M + agent;
				if (this.spec.actionKind === "box") {
					const space = world.agents[agent].action;
					for (let d = 0; d < D; d++) {
						const { low, high } = space.dimensions[d];
						into[row * D + d] = Math.fround(low + (high - low) * nextFloat(this.random, at));
					}
					continue;
				}
				let from = row * A;
				for (let d = 0; d < D; d++) {
					const size = this.spec.actionSizes[d];
					let legal = 0;
					for (let a = 0; a < size; a++) legal += this.worldMask[from + a];
					let pick = nextBelow(this.random, at, legal);
					let choice = 0;
					while (this.worldMask[from + choice] === 0 || pick-- > 0) choice++;
					into[row * D + d] = choice;
					from += size;
				}
			}
		}
	}
	checkActions(action) {
		const { spec } = this;
		const N = spec.agents.length;
		const D = spec.actionDims;
		const box = spec.actionKind === "box";
		if (!this.started) throw new TroupeError("bad-usage", {
			where: `${spec.env}: step`,
			got: "called before reset",
			expected: "reset() first"
		});
		const kind = box ? "Float32Array" : "Int32Array";
		if (!(box ? action instanceof Float32Array : action instanceof Int32Array) || action.length !== this.lanes * N * D) {
			const shape = D === 1 && !box ? `[${this.lanes}, ${N}]` : `[${this.lanes}, ${N}, ${D}]`;
			throw new TroupeError("bad-action", {
				where: `${spec.env}: action`,
				got: shown(action),
				expected: `${kind}(${this.lanes * N * D}), shape ${shape} = lanes, agents${shape.includes(`${N}, ${D}`) ? ", dimensions" : ""}`
			});
		}
		if (box) {
			this.checkBox(action);
			return;
		}
		const { mask } = this;
		const A = spec.actionSize;
		const sizes = spec.actionSizes;
		let i = 0;
		if (D === 1 && this.autoreset === "same-step") {
			const [size] = sizes;
			for (; i < action.length; i++) {
				const value = action[i];
				if (value >>> 0 >= size || mask[i * A + value] === 0) this.refuse(Math.floor(i / N), i % N, 0, value, i * A);
			}
			return;
		}
		for (let lane = 0; lane < this.lanes; lane++) {
			if (this.ended[lane] !== 0) {
				i += N * D;
				continue;
			}
			for (let n = 0; n < N; n++) {
				let from = (lane * N + n) * A;
				for (let d = 0; d < D; d++) {
					const value = action[i++];
					if (value >>> 0 >= sizes[d] || mask[from + value] === 0) this.refuse(lane, n, d, value, from);
					from += sizes[d];
				}
			}
		}
	}
	checkBox(action) {
		const { agents, actionDims: D } = this.spec;
		let i = 0;
		for (let lane = 0; lane < this.lanes; lane++) for (let n = 0; n < agents.length; n++) {
			const { dimensions } = agents[n].action;
			for (let d = 0; d < D; d++) {
				const value = action[i++];
				if (this.ended[lane] === 0 && !(value >= dimensions[d].low && value <= dimensions[d].high)) this.refuse(lane, n, d, value, 0);
			}
		}
	}
	refuse(lane, n, d, value, from) {
		const { spec } = this;
		const agent = spec.agents[n];
		const place = spec.actionDims > 1 ? `, dimension ${d}` : "";
		const choices = actionChoices(agent.action, d);
		const where = `${spec.env}: action [lane ${this.firstLane + lane}, ${agent.id}${place}] at step ${this.stepCount[lane]}`;
		const known = agent.action.kind === "box" ? 0 : actionSizes(agent.action)[d] ?? 0;
		if (agent.action.kind === "box" || value < 0 || value >= known || !Number.isInteger(value)) throw new TroupeError("bad-action", {
			where,
			got: shown(value),
			expected: choices
		});
		const names = agent.action.kind === "discrete" ? agent.action.names : agent.action.dimensions[d].values;
		const legal = names.map((name, index) => this.mask[from + index] === 1 ? `${index} ${name}` : "").filter(Boolean);
		throw new TroupeError("bad-action", {
			where,
			got: `${value} ${names[value]}, which is masked`,
			expected: `a legal action: ${legal.join(", ")}`
		});
	}
	save(lane) {
		this.checkLane(lane);
		const M = this.port.agents;
		const arrays = {};
		for (const [name, array] of Object.entries(this.rules.arrays)) {
			const width = array.length / this.lanes;
			arrays[name] = packRow(array, lane * width, (lane + 1) * width);
		}
		const words = this.streams * 4;
		arrays.random = packRow(this.random, lane * words, (lane + 1) * words);
		return {
			format: 1,
			env: this.spec.env,
			version: this.spec.version,
			generator: GENERATOR,
			seed: this.seedOf(lane),
			episode: this.episode[lane],
			step: this.stepCount[lane],
			terminated: this.stepCount[lane] > 0 && this.terminated[lane] === 1,
			truncated: this.stepCount[lane] > 0 && this.truncated[lane] === 1,
			returns: packRow(this.worldReturns, lane * M, (lane + 1) * M),
			arrays
		};
	}
	load(lane, snapshot) {
		this.checkLane(lane);
		const where = `${this.spec.env}: snapshot`;
		if (snapshot === null || typeof snapshot !== "object" || snapshot.format !== 1) throw new TroupeError("bad-version", {
			where,
			got: `format ${shown(snapshot?.format)}`,
			expected: "format 1"
		});
		if (snapshot.env !== this.spec.env || snapshot.version !== this.spec.version) throw new TroupeError("bad-version", {
			where,
			got: `of ${snapshot.env} version ${snapshot.version}`,
			expected: `${this.spec.env} version ${this.spec.version}`
		});
		if (snapshot.generator !== "xoshiro128**") throw new TroupeError("bad-version", {
			where: `${where}: generator`,
			got: shown(snapshot.generator),
			expected: GENERATOR
		});
		for (const name of ["step", "episode"]) {
			const count = snapshot[name];
			if (Number.isInteger(count) && count >= (name === "step" ? 0 : -1) && count <= 2147483647) continue;
			throw new TroupeError("bad-file", {
				where: `${where}: ${name}`,
				got: shown(count),
				expected: "a whole number of 0 to 2147483647"
			});
		}
		if (snapshot.seed !== null) seedWords(snapshot.seed, this.seed);
		const M = this.port.agents;
		const words = this.streams * 4;
		const rows = [];
		const take = (array, from, to, text, name) => {
			const copy = array.slice(from, to);
			unpackRow(text, copy, 0, copy.length, `${where}: ${name}`);
			rows.push([
				array,
				from,
				copy
			]);
		};
		for (const [name, array] of Object.entries(this.rules.arrays)) {
			const width = array.length / this.lanes;
			take(array, lane * width, (lane + 1) * width, snapshot.arrays?.[name], name);
		}
		take(this.random, lane * words, (lane + 1) * words, snapshot.arrays?.random, "random");
		take(this.worldReturns, lane * M, (lane + 1) * M, snapshot.returns, "returns");
		for (const [array, from, copy] of rows) array.set(copy, from);
		this.given[lane] = snapshot.seed;
		this.episode[lane] = snapshot.episode;
		this.stepCount[lane] = snapshot.step;
		this.terminated[lane] = snapshot.terminated ? 1 : 0;
		this.truncated[lane] = snapshot.truncated ? 1 : 0;
		this.ended[lane] = (snapshot.terminated || snapshot.truncated) && this.autoreset !== "same-step" ? 1 : 0;
		this.episodeStart[lane] = snapshot.step === 0 ? 1 : 0;
		for (let i = lane * M; i < (lane + 1) * M; i++) this.worldReward[i] = 0;
		if (this.reward !== this.worldReward) this.seatRow(lane);
		this.started = true;
		this.rules.restored?.(lane);
		this.running[0] = lane;
		this.refresh(this.running, 1);
	}
	hash(lane) {
		this.checkLane(lane);
		this.digest.reset();
		this.absorb(lane, this.digest);
		this.digest.finish(this.digestOut);
		return wordsToHex(this.digestOut);
	}
	/** Mixes the lane's current state into a digest: step, flags, every state array, generators. */
	absorb(lane, digest) {
		const { gathered, views } = this;
		const steps = this.stepCount[lane];
		gathered[0] = steps;
		gathered[1] = steps === 0 ? 0 : this.terminated[lane] | this.truncated[lane] << 1;
		let at = 2;
		for (let i = 0; i < views.length; i++) at = gatherRow(views[i], lane, gathered, at);
		digest.blocks(gathered, gathered.length);
	}
	seedOf(lane) {
		this.checkLane(lane);
		const given = this.given[lane];
		if (given !== null || !this.needsSeed) return given;
		return this.seeds(this.firstLane + lane, this.episode[lane]);
	}
	frame(lane) {
		return this.rules.frame(this.checkLane(lane));
	}
	metrics(lane) {
		this.rules.metrics(this.checkLane(lane), this.metricValues);
		return this.named(this.metricValues, 0, this.stepCount[lane]);
	}
	finalMetrics(lane) {
		this.checkLane(lane);
		return this.named(this.finalMetricValues, lane * this.metricValues.length, this.finalLength[lane]);
	}
	named(values, from, length) {
		const out = {};
		this.spec.world.metrics.forEach((name, i) => {
			const value = values[from + i];
			out[name] = Number.isFinite(value) ? value : null;
		});
		out.episodeLength = length;
		return out;
	}
};
function copyRow(from, to, lane, width) {
	for (let i = lane * width; i < (lane + 1) * width; i++) to[i] = from[i];
}
/**
* Opens B parallel episodes of an environment. Call `reset` before the first `step`.
* @throws TroupeError for unknown or impossible options, seats and settings
*/
function createBatch(definition, options = {}, settings = {}) {
	check(SETTINGS, Object.fromEntries(Object.keys(settings).map((key) => [key, true])), `${definition.id} settings`);
	return new Batch(definition, options, settings);
}
const SETTINGS = Type.Object(Object.fromEntries([
	"lanes",
	"firstLane",
	"control",
	"autoreset",
	"seeds",
	"observe"
].map((key) => [key, Type.Optional(Type.Boolean())])), { additionalProperties: false });
Uint8Array.of(137, 84, 82, 80, 13, 10, 26, 10).length + 2;
const SECTION = {
	header: 1,
	actions: 2,
	digests: 3,
	probability: 4,
	value: 5,
	keyframes: 6,
	notes: 7,
	end: 255
};
const Text = (maxLength) => Type.String({ maxLength });
const Name = Type.String({
	minLength: 1,
	maxLength: 200
});
const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$" });
const Size = Type.Integer({
	minimum: 1,
	maximum: 65536
});
const Plain = Type.Record(Type.String(), Type.Unknown());
const Index = Type.Integer({
	minimum: 0,
	maximum: 1e6
});
const ReplayResultSchema = Type.Object({
	steps: Type.Integer({
		minimum: 0,
		maximum: 4294967295
	}),
	terminated: Type.Boolean(),
	truncated: Type.Boolean(),
	returns: Type.Array(Type.Number()),
	return: Type.Number(),
	metrics: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()])),
	digest: Type.String({ pattern: "^[0-9a-f]{32}$" })
}, { additionalProperties: false });
Type.Object({
	format: Type.Literal(1),
	env: Name,
	version: Name,
	scenario: Plain,
	options: Plain,
	control: Type.Array(Index, { minItems: 1 }),
	agents: Type.Array(Name, { minItems: 1 }),
	generator: Name,
	seed: Type.Union([Type.String({ pattern: "^[0-9a-f]{32}$" }), Type.Null()]),
	policies: Type.Array(Type.Object({
		name: Text(200),
		hash: Type.Optional(Text(128)),
		agents: Type.Optional(Type.Array(Index))
	}, { additionalProperties: false })),
	action: Type.Object({
		kind: Type.Union([
			Type.Literal("discrete"),
			Type.Literal("multi-discrete"),
			Type.Literal("box")
		]),
		sizes: Type.Array(Size, { maxItems: 4096 }),
		dims: Type.Integer({
			minimum: 1,
			maximum: 4096
		})
	}, { additionalProperties: false }),
	package: Text(100),
	plugin: Type.Optional(Type.Object({
		name: Name,
		sha256: Sha256
	}, { additionalProperties: false })),
	purpose: Type.Optional(Text(200)),
	label: Type.Optional(Text(500)),
	result: Type.Optional(ReplayResultSchema)
}, { additionalProperties: false });
Uint32Array.from({ length: 256 }, (_, byte) => {
	let crc = byte;
	for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ 3988292384 : crc >>> 1;
	return crc;
});
new Uint32Array((/* @__PURE__ */ new Float32Array(1)).buffer);
Object.fromEntries(Object.entries(SECTION).map(([name, type]) => [type, name]));
// envs/skirmish/maps.ts
const MAPS = [
	{
		name: "3m",
		limit: 60,
		terrain: "strip",
		allies: [{
			unit: "marine",
			count: 3,
			at: [9, 16]
		}],
		enemies: [{
			unit: "marine",
			count: 3,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		}
	},
	{
		name: "8m",
		limit: 120,
		terrain: "strip",
		allies: [{
			unit: "marine",
			count: 8,
			at: [9, 16]
		}],
		enemies: [{
			unit: "marine",
			count: 8,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		}
	},
	{
		name: "25m",
		limit: 150,
		terrain: "strip",
		allies: [{
			unit: "marine",
			count: 25,
			at: [9, 16]
		}],
		enemies: [{
			unit: "marine",
			count: 25,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		}
	},
	{
		name: "5m_vs_6m",
		limit: 70,
		terrain: "strip",
		allies: [{
			unit: "marine",
			count: 5,
			at: [9, 16]
		}],
		enemies: [{
			unit: "marine",
			count: 6,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		}
	},
	{
		name: "8m_vs_9m",
		limit: 120,
		terrain: "strip",
		allies: [{
			unit: "marine",
			count: 8,
			at: [9, 16]
		}],
		enemies: [{
			unit: "marine",
			count: 9,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		}
	},
	{
		name: "10m_vs_11m",
		limit: 150,
		terrain: "strip",
		allies: [{
			unit: "marine",
			count: 10,
			at: [9, 16]
		}],
		enemies: [{
			unit: "marine",
			count: 11,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		},
		smaclite: {
			allies: [
				[
					"marine",
					7.875,
					15.175
				],
				[
					"marine",
					8.675,
					15.175
				],
				[
					"marine",
					9.475,
					15.175
				],
				[
					"marine",
					10.275,
					15.175
				],
				[
					"marine",
					7.875,
					15.975
				],
				[
					"marine",
					8.675,
					15.975
				],
				[
					"marine",
					9.475,
					15.975
				],
				[
					"marine",
					10.275,
					15.975
				],
				[
					"marine",
					7.875,
					16.775
				],
				[
					"marine",
					8.675,
					16.775
				]
			],
			enemies: [
				[
					"marine",
					24.125,
					16.825
				],
				[
					"marine",
					23.325,
					16.825
				],
				[
					"marine",
					22.525,
					16.825
				],
				[
					"marine",
					21.725,
					16.825
				],
				[
					"marine",
					24.125,
					16.025
				],
				[
					"marine",
					23.325,
					16.025
				],
				[
					"marine",
					22.525,
					16.025
				],
				[
					"marine",
					21.725,
					16.025
				],
				[
					"marine",
					24.125,
					15.225
				],
				[
					"marine",
					23.325,
					15.225
				],
				[
					"marine",
					22.525,
					15.225
				]
			]
		}
	},
	{
		name: "27m_vs_30m",
		limit: 180,
		terrain: "strip",
		allies: [{
			unit: "marine",
			count: 27,
			at: [9, 16]
		}],
		enemies: [{
			unit: "marine",
			count: 30,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		},
		smaclite: {
			allies: [
				[
					"marine",
					7.125,
					14.375
				],
				[
					"marine",
					7.925,
					14.375
				],
				[
					"marine",
					8.725,
					14.375
				],
				[
					"marine",
					9.525,
					14.375
				],
				[
					"marine",
					10.325,
					14.375
				],
				[
					"marine",
					11.125,
					14.375
				],
				[
					"marine",
					7.125,
					15.175
				],
				[
					"marine",
					7.925,
					15.175
				],
				[
					"marine",
					8.725,
					15.175
				],
				[
					"marine",
					9.525,
					15.175
				],
				[
					"marine",
					10.325,
					15.175
				],
				[
					"marine",
					11.125,
					15.175
				],
				[
					"marine",
					7.125,
					15.975
				],
				[
					"marine",
					7.925,
					15.975
				],
				[
					"marine",
					8.725,
					15.975
				],
				[
					"marine",
					9.525,
					15.975
				],
				[
					"marine",
					10.325,
					15.975
				],
				[
					"marine",
					11.125,
					15.975
				],
				[
					"marine",
					7.125,
					16.775
				],
				[
					"marine",
					7.925,
					16.775
				],
				[
					"marine",
					8.725,
					16.775
				],
				[
					"marine",
					9.525,
					16.775
				],
				[
					"marine",
					10.325,
					16.775
				],
				[
					"marine",
					11.125,
					16.775
				],
				[
					"marine",
					7.125,
					17.575
				],
				[
					"marine",
					7.925,
					17.575
				],
				[
					"marine",
					8.725,
					17.575
				]
			],
			enemies: [
				[
					"marine",
					24.875,
					17.625
				],
				[
					"marine",
					24.075,
					17.625
				],
				[
					"marine",
					23.275,
					17.625
				],
				[
					"marine",
					22.475,
					17.625
				],
				[
					"marine",
					21.675,
					17.625
				],
				[
					"marine",
					20.875,
					17.625
				],
				[
					"marine",
					24.875,
					16.825
				],
				[
					"marine",
					24.075,
					16.825
				],
				[
					"marine",
					23.275,
					16.825
				],
				[
					"marine",
					22.475,
					16.825
				],
				[
					"marine",
					21.675,
					16.825
				],
				[
					"marine",
					20.875,
					16.825
				],
				[
					"marine",
					24.875,
					16.025
				],
				[
					"marine",
					24.075,
					16.025
				],
				[
					"marine",
					23.275,
					16.025
				],
				[
					"marine",
					22.475,
					16.025
				],
				[
					"marine",
					21.675,
					16.025
				],
				[
					"marine",
					20.875,
					16.025
				],
				[
					"marine",
					24.875,
					15.225
				],
				[
					"marine",
					24.075,
					15.225
				],
				[
					"marine",
					23.275,
					15.225
				],
				[
					"marine",
					22.475,
					15.225
				],
				[
					"marine",
					21.675,
					15.225
				],
				[
					"marine",
					20.875,
					15.225
				],
				[
					"marine",
					24.875,
					14.425
				],
				[
					"marine",
					24.075,
					14.425
				],
				[
					"marine",
					23.275,
					14.425
				],
				[
					"marine",
					22.475,
					14.425
				],
				[
					"marine",
					21.675,
					14.425
				],
				[
					"marine",
					20.875,
					14.425
				]
			]
		}
	},
	{
		name: "MMM",
		limit: 150,
		terrain: "strip",
		allies: [
			{
				unit: "marauder",
				count: 2,
				at: [9, 16]
			},
			{
				unit: "marine",
				count: 7,
				at: [9, 16]
			},
			{
				unit: "medivac",
				count: 1,
				at: [9, 16]
			}
		],
		enemies: [
			{
				unit: "marine",
				count: 7,
				at: [23, 16]
			},
			{
				unit: "marauder",
				count: 2,
				at: [23, 16]
			},
			{
				unit: "medivac",
				count: 1,
				at: [23, 16]
			}
		],
		order: {
			kind: "attack-move",
			to: [9, 16]
		},
		smaclite: {
			allies: [
				[
					"medivac",
					7.875,
					14.988
				],
				[
					"marine",
					9.05,
					14.988
				],
				[
					"marine",
					9.85,
					14.988
				],
				[
					"marine",
					10.65,
					14.988
				],
				[
					"marine",
					7.5,
					16.163
				],
				[
					"marine",
					8.3,
					16.163
				],
				[
					"marine",
					9.1,
					16.163
				],
				[
					"marine",
					9.9,
					16.163
				],
				[
					"marauder",
					7.688,
					17.15
				],
				[
					"marauder",
					8.863,
					17.15
				]
			],
			enemies: [
				[
					"medivac",
					24.125,
					17.013
				],
				[
					"marine",
					22.95,
					17.013
				],
				[
					"marine",
					22.15,
					17.013
				],
				[
					"marine",
					21.35,
					17.013
				],
				[
					"marine",
					24.5,
					15.837
				],
				[
					"marine",
					23.7,
					15.837
				],
				[
					"marine",
					22.9,
					15.837
				],
				[
					"marine",
					22.1,
					15.837
				],
				[
					"marauder",
					24.312,
					14.85
				],
				[
					"marauder",
					23.138,
					14.85
				]
			]
		}
	},
	{
		name: "MMM2",
		limit: 180,
		terrain: "strip",
		allies: [
			{
				unit: "marauder",
				count: 2,
				at: [9, 16]
			},
			{
				unit: "marine",
				count: 7,
				at: [9, 16]
			},
			{
				unit: "medivac",
				count: 1,
				at: [9, 16]
			}
		],
		enemies: [
			{
				unit: "marine",
				count: 8,
				at: [23, 16]
			},
			{
				unit: "marauder",
				count: 3,
				at: [23, 16]
			},
			{
				unit: "medivac",
				count: 1,
				at: [23, 16]
			}
		],
		order: {
			kind: "attack-move",
			to: [9, 16]
		},
		smaclite: {
			allies: [
				[
					"medivac",
					7.875,
					14.988
				],
				[
					"marine",
					9.05,
					14.988
				],
				[
					"marine",
					9.85,
					14.988
				],
				[
					"marine",
					10.65,
					14.988
				],
				[
					"marine",
					7.5,
					16.163
				],
				[
					"marine",
					8.3,
					16.163
				],
				[
					"marine",
					9.1,
					16.163
				],
				[
					"marine",
					9.9,
					16.163
				],
				[
					"marauder",
					7.688,
					17.15
				],
				[
					"marauder",
					8.863,
					17.15
				]
			],
			enemies: [
				[
					"medivac",
					24.312,
					17.013
				],
				[
					"marine",
					23.138,
					17.013
				],
				[
					"marine",
					22.337,
					17.013
				],
				[
					"marine",
					21.538,
					17.013
				],
				[
					"marine",
					24.688,
					15.837
				],
				[
					"marine",
					23.888,
					15.837
				],
				[
					"marine",
					23.087,
					15.837
				],
				[
					"marine",
					22.288,
					15.837
				],
				[
					"marine",
					24.688,
					14.85
				],
				[
					"marauder",
					23.7,
					14.85
				],
				[
					"marauder",
					22.525,
					14.85
				],
				[
					"marauder",
					21.35,
					14.85
				]
			]
		}
	},
	{
		name: "2s3z",
		limit: 120,
		terrain: "strip",
		allies: [{
			unit: "stalker",
			count: 2,
			at: [9, 16]
		}, {
			unit: "zealot",
			count: 3,
			at: [9, 16]
		}],
		enemies: [{
			unit: "stalker",
			count: 2,
			at: [23, 16]
		}, {
			unit: "zealot",
			count: 3,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		},
		smaclite: {
			allies: [
				[
					"stalker",
					7.875,
					15.45
				],
				[
					"stalker",
					9.175,
					15.45
				],
				[
					"zealot",
					10.35,
					15.45
				],
				[
					"zealot",
					7.75,
					16.625
				],
				[
					"zealot",
					8.8,
					16.625
				]
			],
			enemies: [
				[
					"stalker",
					24.125,
					16.55
				],
				[
					"stalker",
					22.825,
					16.55
				],
				[
					"zealot",
					21.65,
					16.55
				],
				[
					"zealot",
					24.25,
					15.375
				],
				[
					"zealot",
					23.2,
					15.375
				]
			]
		}
	},
	{
		name: "3s5z",
		limit: 150,
		terrain: "strip",
		allies: [{
			unit: "stalker",
			count: 3,
			at: [9, 16]
		}, {
			unit: "zealot",
			count: 5,
			at: [9, 16]
		}],
		enemies: [{
			unit: "stalker",
			count: 3,
			at: [23, 16]
		}, {
			unit: "zealot",
			count: 5,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		},
		smaclite: {
			allies: [
				[
					"stalker",
					7.75,
					14.95
				],
				[
					"stalker",
					9.05,
					14.95
				],
				[
					"stalker",
					10.35,
					14.95
				],
				[
					"zealot",
					7.625,
					16.125
				],
				[
					"zealot",
					8.675,
					16.125
				],
				[
					"zealot",
					9.725,
					16.125
				],
				[
					"zealot",
					7.625,
					17.175
				],
				[
					"zealot",
					8.675,
					17.175
				]
			],
			enemies: [
				[
					"stalker",
					24.25,
					17.05
				],
				[
					"stalker",
					22.95,
					17.05
				],
				[
					"stalker",
					21.65,
					17.05
				],
				[
					"zealot",
					24.375,
					15.875
				],
				[
					"zealot",
					23.325,
					15.875
				],
				[
					"zealot",
					22.275,
					15.875
				],
				[
					"zealot",
					24.375,
					14.825
				],
				[
					"zealot",
					23.325,
					14.825
				]
			]
		}
	},
	{
		name: "3s5z_vs_3s6z",
		limit: 170,
		terrain: "strip",
		allies: [{
			unit: "stalker",
			count: 3,
			at: [9, 16]
		}, {
			unit: "zealot",
			count: 5,
			at: [9, 16]
		}],
		enemies: [{
			unit: "stalker",
			count: 3,
			at: [23, 16]
		}, {
			unit: "zealot",
			count: 6,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		},
		smaclite: {
			allies: [
				[
					"stalker",
					7.75,
					14.95
				],
				[
					"stalker",
					9.05,
					14.95
				],
				[
					"stalker",
					10.35,
					14.95
				],
				[
					"zealot",
					7.625,
					16.125
				],
				[
					"zealot",
					8.675,
					16.125
				],
				[
					"zealot",
					9.725,
					16.125
				],
				[
					"zealot",
					7.625,
					17.175
				],
				[
					"zealot",
					8.675,
					17.175
				]
			],
			enemies: [
				[
					"stalker",
					24.25,
					17.05
				],
				[
					"stalker",
					22.95,
					17.05
				],
				[
					"stalker",
					21.65,
					17.05
				],
				[
					"zealot",
					24.375,
					15.875
				],
				[
					"zealot",
					23.325,
					15.875
				],
				[
					"zealot",
					22.275,
					15.875
				],
				[
					"zealot",
					24.375,
					14.825
				],
				[
					"zealot",
					23.325,
					14.825
				],
				[
					"zealot",
					22.275,
					14.825
				]
			]
		}
	},
	{
		name: "3s_vs_3z",
		limit: 150,
		terrain: "open",
		allies: [{
			unit: "stalker",
			count: 3,
			at: [9, 16]
		}],
		enemies: [{
			unit: "zealot",
			count: 3,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		}
	},
	{
		name: "3s_vs_4z",
		limit: 200,
		terrain: "open",
		allies: [{
			unit: "stalker",
			count: 3,
			at: [9, 16]
		}],
		enemies: [{
			unit: "zealot",
			count: 4,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		}
	},
	{
		name: "3s_vs_5z",
		limit: 250,
		terrain: "open",
		allies: [{
			unit: "stalker",
			count: 3,
			at: [9, 16]
		}],
		enemies: [{
			unit: "zealot",
			count: 5,
			at: [23, 16]
		}],
		order: {
			kind: "attack-move",
			to: [9, 16]
		},
		smaclite: {
			allies: [
				[
					"stalker",
					8.375,
					15.35
				],
				[
					"stalker",
					9.675,
					15.35
				],
				[
					"stalker",
					8.375,
					16.65
				]
			],
			enemies: [
				[
					"zealot",
					24,
					16.55
				],
				[
					"zealot",
					22.95,
					16.55
				],
				[
					"zealot",
					21.9,
					16.55
				],
				[
					"zealot",
					24,
					15.5
				],
				[
					"zealot",
					22.95,
					15.5
				]
			]
		}
	},
	{
		name: "1c3s5z",
		limit: 180,
		terrain: "strip",
		allies: [
			{
				unit: "colossus",
				count: 1,
				at: [9, 16]
			},
			{
				unit: "stalker",
				count: 3,
				at: [9, 16]
			},
			{
				unit: "zealot",
				count: 5,
				at: [9, 16]
			}
		],
		enemies: [
			{
				unit: "colossus",
				count: 1,
				at: [23, 16]
			},
			{
				unit: "stalker",
				count: 3,
				at: [23, 16]
			},
			{
				unit: "zealot",
				count: 5,
				at: [23, 16]
			}
		],
		order: {
			kind: "attack-move",
			to: [9, 16]
		}
	},
	{
		name: "2m_vs_1z",
		limit: 150,
		terrain: "octagon",
		allies: [{
			unit: "marine",
			count: 1,
			at: [13, 12]
		}, {
			unit: "marine",
			count: 1,
			at: [19, 12]
		}],
		enemies: [{
			unit: "zealot",
			count: 1,
			at: [16, 19]
		}],
		order: {
			kind: "segment",
			from: [13, 12],
			to: [19, 12]
		}
	},
	{
		name: "corridor",
		limit: 400,
		terrain: "corridor",
		allies: [{
			unit: "zealot",
			count: 6,
			at: [19.0397, 19.1198]
		}],
		enemies: [{
			unit: "zergling",
			count: 24,
			at: [27.91, 28.24]
		}],
		order: {
			kind: "attack-move",
			to: [4.47, 4.3298]
		},
		smaclite: {
			allies: [
				[
					"zealot",
					18.04,
					18.57
				],
				[
					"zealot",
					19.09,
					18.57
				],
				[
					"zealot",
					20.14,
					18.57
				],
				[
					"zealot",
					18.04,
					19.62
				],
				[
					"zealot",
					19.09,
					19.62
				],
				[
					"zealot",
					20.14,
					19.62
				]
			],
			enemies: [
				[
					"zergling",
					29.41,
					29.84
				],
				[
					"zergling",
					28.61,
					29.84
				],
				[
					"zergling",
					27.81,
					29.84
				],
				[
					"zergling",
					27.01,
					29.84
				],
				[
					"zergling",
					26.21,
					29.84
				],
				[
					"zergling",
					29.41,
					29.04
				],
				[
					"zergling",
					28.61,
					29.04
				],
				[
					"zergling",
					27.81,
					29.04
				],
				[
					"zergling",
					27.01,
					29.04
				],
				[
					"zergling",
					26.21,
					29.04
				],
				[
					"zergling",
					29.41,
					28.24
				],
				[
					"zergling",
					28.61,
					28.24
				],
				[
					"zergling",
					27.81,
					28.24
				],
				[
					"zergling",
					27.01,
					28.24
				],
				[
					"zergling",
					26.21,
					28.24
				],
				[
					"zergling",
					29.41,
					27.44
				],
				[
					"zergling",
					28.61,
					27.44
				],
				[
					"zergling",
					27.81,
					27.44
				],
				[
					"zergling",
					27.01,
					27.44
				],
				[
					"zergling",
					26.21,
					27.44
				],
				[
					"zergling",
					29.41,
					26.64
				],
				[
					"zergling",
					28.61,
					26.64
				],
				[
					"zergling",
					27.81,
					26.64
				],
				[
					"zergling",
					27.01,
					26.64
				]
			]
		}
	},
	{
		name: "6h_vs_8z",
		limit: 150,
		terrain: "box",
		allies: [{
			unit: "hydralisk",
			count: 6,
			at: [14.5998, 9.49]
		}],
		enemies: [{
			unit: "zealot",
			count: 8,
			at: [14.41, 16.7597]
		}],
		order: {
			kind: "attack-move",
			to: [14.5998, 9.49]
		}
	},
	{
		name: "2s_vs_1sc",
		limit: 300,
		terrain: "pentagon",
		allies: [{
			unit: "stalker",
			count: 1,
			at: [11.1208, 10.338]
		}, {
			unit: "stalker",
			count: 1,
			at: [16.976, 10.3662]
		}],
		enemies: [{
			unit: "spine_crawler",
			count: 1,
			at: [13.92, 20.0397]
		}],
		order: { kind: "none" },
		smaclite: {
			allies: [[
				"stalker",
				11.12,
				10.34
			], [
				"stalker",
				16.98,
				10.37
			]],
			enemies: [[
				"spine_crawler",
				13.92,
				20.04
			]]
		}
	},
	{
		name: "so_many_baneling",
		limit: 100,
		terrain: "diagonal",
		allies: [{
			unit: "zealot",
			count: 7,
			at: [11.469, 12.0234]
		}],
		enemies: [{
			unit: "baneling",
			count: 32,
			at: [27.91, 28.24]
		}],
		order: {
			kind: "attack-move",
			to: [4.47, 4.3298]
		}
	},
	{
		name: "bane_vs_bane",
		limit: 200,
		terrain: "octagon",
		allies: [{
			unit: "baneling",
			count: 4,
			at: [16, 8]
		}, {
			unit: "zergling",
			count: 20,
			at: [16, 11]
		}],
		enemies: [{
			unit: "zergling",
			count: 20,
			at: [16, 21]
		}, {
			unit: "baneling",
			count: 4,
			at: [16, 24]
		}],
		order: {
			kind: "attack-move",
			to: [16, 8]
		},
		smaclite: {
			allies: [
				[
					"zergling",
					14.5,
					9.775
				],
				[
					"zergling",
					15.3,
					9.775
				],
				[
					"zergling",
					16.1,
					9.775
				],
				[
					"zergling",
					16.9,
					9.775
				],
				[
					"zergling",
					17.7,
					9.775
				],
				[
					"zergling",
					14.5,
					10.575
				],
				[
					"zergling",
					15.3,
					10.575
				],
				[
					"zergling",
					16.1,
					10.575
				],
				[
					"zergling",
					16.9,
					10.575
				],
				[
					"zergling",
					17.7,
					10.575
				],
				[
					"zergling",
					14.5,
					11.375
				],
				[
					"zergling",
					15.3,
					11.375
				],
				[
					"zergling",
					16.1,
					11.375
				],
				[
					"zergling",
					16.9,
					11.375
				],
				[
					"zergling",
					17.7,
					11.375
				],
				[
					"zergling",
					14.5,
					12.175
				],
				[
					"zergling",
					15.3,
					12.175
				],
				[
					"zergling",
					16.1,
					12.175
				],
				[
					"zergling",
					16.9,
					12.175
				],
				[
					"zergling",
					17.7,
					12.175
				],
				[
					"baneling",
					15.625,
					7.6
				],
				[
					"baneling",
					16.425,
					7.6
				],
				[
					"baneling",
					15.625,
					8.4
				],
				[
					"baneling",
					16.425,
					8.4
				]
			],
			enemies: [
				[
					"baneling",
					16.375,
					24.4
				],
				[
					"baneling",
					15.575,
					24.4
				],
				[
					"baneling",
					16.375,
					23.6
				],
				[
					"baneling",
					15.575,
					23.6
				],
				[
					"zergling",
					17.5,
					22.225
				],
				[
					"zergling",
					16.7,
					22.225
				],
				[
					"zergling",
					15.9,
					22.225
				],
				[
					"zergling",
					15.1,
					22.225
				],
				[
					"zergling",
					14.3,
					22.225
				],
				[
					"zergling",
					17.5,
					21.425
				],
				[
					"zergling",
					16.7,
					21.425
				],
				[
					"zergling",
					15.9,
					21.425
				],
				[
					"zergling",
					15.1,
					21.425
				],
				[
					"zergling",
					14.3,
					21.425
				],
				[
					"zergling",
					17.5,
					20.625
				],
				[
					"zergling",
					16.7,
					20.625
				],
				[
					"zergling",
					15.9,
					20.625
				],
				[
					"zergling",
					15.1,
					20.625
				],
				[
					"zergling",
					14.3,
					20.625
				],
				[
					"zergling",
					17.5,
					19.825
				],
				[
					"zergling",
					16.7,
					19.825
				],
				[
					"zergling",
					15.9,
					19.825
				],
				[
					"zergling",
					15.1,
					19.825
				],
				[
					"zergling",
					14.3,
					19.825
				]
			]
		}
	},
	{
		name: "2c_vs_64zg",
		limit: 400,
		terrain: "plateau",
		allies: [{
			unit: "colossus",
			count: 2,
			at: [16, 16]
		}],
		enemies: [{
			unit: "zergling",
			count: 64,
			at: [16, 9]
		}],
		order: { kind: "closest" },
		smaclite: {
			allies: [[
				"colossus",
				15,
				15.975
			], [
				"colossus",
				17.05,
				15.975
			]],
			enemies: [
				[
					"zergling",
					18.625,
					11.8
				],
				[
					"zergling",
					17.825,
					11.8
				],
				[
					"zergling",
					17.025,
					11.8
				],
				[
					"zergling",
					16.225,
					11.8
				],
				[
					"zergling",
					15.425,
					11.8
				],
				[
					"zergling",
					14.625,
					11.8
				],
				[
					"zergling",
					13.825,
					11.8
				],
				[
					"zergling",
					13.025,
					11.8
				],
				[
					"zergling",
					18.625,
					11
				],
				[
					"zergling",
					17.825,
					11
				],
				[
					"zergling",
					17.025,
					11
				],
				[
					"zergling",
					16.225,
					11
				],
				[
					"zergling",
					15.425,
					11
				],
				[
					"zergling",
					14.625,
					11
				],
				[
					"zergling",
					13.825,
					11
				],
				[
					"zergling",
					13.025,
					11
				],
				[
					"zergling",
					18.625,
					10.2
				],
				[
					"zergling",
					17.825,
					10.2
				],
				[
					"zergling",
					17.025,
					10.2
				],
				[
					"zergling",
					16.225,
					10.2
				],
				[
					"zergling",
					15.425,
					10.2
				],
				[
					"zergling",
					14.625,
					10.2
				],
				[
					"zergling",
					13.825,
					10.2
				],
				[
					"zergling",
					13.025,
					10.2
				],
				[
					"zergling",
					18.625,
					9.4
				],
				[
					"zergling",
					17.825,
					9.4
				],
				[
					"zergling",
					17.025,
					9.4
				],
				[
					"zergling",
					16.225,
					9.4
				],
				[
					"zergling",
					15.425,
					9.4
				],
				[
					"zergling",
					14.625,
					9.4
				],
				[
					"zergling",
					13.825,
					9.4
				],
				[
					"zergling",
					13.025,
					9.4
				],
				[
					"zergling",
					18.625,
					8.6
				],
				[
					"zergling",
					17.825,
					8.6
				],
				[
					"zergling",
					17.025,
					8.6
				],
				[
					"zergling",
					16.225,
					8.6
				],
				[
					"zergling",
					15.425,
					8.6
				],
				[
					"zergling",
					14.625,
					8.6
				],
				[
					"zergling",
					13.825,
					8.6
				],
				[
					"zergling",
					13.025,
					8.6
				],
				[
					"zergling",
					18.625,
					7.8
				],
				[
					"zergling",
					17.825,
					7.8
				],
				[
					"zergling",
					17.025,
					7.8
				],
				[
					"zergling",
					16.225,
					7.8
				],
				[
					"zergling",
					15.425,
					7.8
				],
				[
					"zergling",
					14.625,
					7.8
				],
				[
					"zergling",
					13.825,
					7.8
				],
				[
					"zergling",
					13.025,
					7.8
				],
				[
					"zergling",
					18.625,
					7
				],
				[
					"zergling",
					17.825,
					7
				],
				[
					"zergling",
					17.025,
					7
				],
				[
					"zergling",
					16.225,
					7
				],
				[
					"zergling",
					15.425,
					7
				],
				[
					"zergling",
					14.625,
					7
				],
				[
					"zergling",
					13.825,
					7
				],
				[
					"zergling",
					13.025,
					7
				],
				[
					"zergling",
					18.625,
					6.2
				],
				[
					"zergling",
					17.825,
					6.2
				],
				[
					"zergling",
					17.025,
					6.2
				],
				[
					"zergling",
					16.225,
					6.2
				],
				[
					"zergling",
					15.425,
					6.2
				],
				[
					"zergling",
					14.625,
					6.2
				],
				[
					"zergling",
					13.825,
					6.2
				],
				[
					"zergling",
					13.025,
					6.2
				]
			]
		}
	}
];
// envs/skirmish/units.ts
/** What the units are: one table per rule set. NOTICE.md names the source of every column. */
const RULE_SETS = ["sc2", "smaclite"];
const ground = {
	armor: 0,
	shield: 0,
	attacks: 1,
	bonus: {},
	shieldRegen: 0,
	shieldDelay: 10,
	healthRegen: 0,
	scan: 5,
	plane: "ground",
	targets: ["ground"]
};
const terran = {
	...ground,
	race: "terran"
};
const protoss = {
	...ground,
	race: "protoss",
	armor: 1,
	shieldRegen: 2
};
const zerg = {
	...ground,
	race: "zerg",
	healthRegen: .2734
};
/** Normal-second values. */
const SC2 = [
	{
		...terran,
		name: "marine",
		health: 45,
		attributes: ["light", "biological"],
		radius: .375,
		sight: 9,
		speed: 2.25,
		damage: 6,
		range: 5,
		cooldown: .86083984375,
		targets: ["ground", "air"],
		normaliser: 15
	},
	{
		...terran,
		name: "marauder",
		health: 125,
		armor: 1,
		attributes: ["armored", "biological"],
		radius: .5625,
		sight: 10,
		speed: 2.25,
		damage: 10,
		bonus: { armored: 10 },
		range: 6,
		cooldown: 1.5,
		normaliser: 25
	},
	{
		...terran,
		name: "medivac",
		health: 150,
		armor: 1,
		attributes: ["armored", "mechanical"],
		plane: "air",
		radius: .75,
		sight: 11,
		speed: 2.75,
		enemySpeed: 2.5,
		acceleration: 2.3125,
		damage: 0,
		range: 4,
		cooldown: 0,
		heal: {
			perSecond: 9,
			perEnergy: 3,
			energyToStart: 5
		},
		energy: {
			start: 50,
			max: 200,
			regen: .5625
		},
		normaliser: 200
	},
	{
		...protoss,
		name: "stalker",
		health: 80,
		shield: 80,
		attributes: ["armored", "mechanical"],
		radius: .625,
		sight: 10,
		speed: 2.9531,
		damage: 13,
		bonus: { armored: 5 },
		range: 6,
		cooldown: 1.8701171875,
		targets: ["ground", "air"],
		normaliser: 35
	},
	{
		...protoss,
		name: "zealot",
		health: 100,
		shield: 50,
		attributes: ["light", "biological"],
		radius: .5,
		sight: 9,
		speed: 2.25,
		damage: 8,
		attacks: 2,
		range: .1,
		cooldown: 1.2,
		normaliser: 22
	},
	{
		...protoss,
		name: "colossus",
		health: 200,
		shield: 150,
		attributes: [
			"armored",
			"mechanical",
			"massive"
		],
		plane: "giant",
		radius: 1,
		sight: 10,
		speed: 2.25,
		damage: 10,
		attacks: 2,
		bonus: { light: 5 },
		range: 7,
		cooldown: 1.5,
		splash: {
			width: 2.8,
			depth: .3
		},
		normaliser: 24
	},
	{
		...zerg,
		name: "zergling",
		health: 35,
		attributes: ["light", "biological"],
		radius: .375,
		sight: 8,
		speed: 2.9531,
		damage: 5,
		range: .1,
		cooldown: .696044921875,
		normaliser: 11
	},
	{
		...zerg,
		name: "baneling",
		health: 30,
		attributes: ["biological"],
		radius: .375,
		sight: 8,
		speed: 2.5,
		damage: 20,
		bonus: {
			light: 15,
			structure: 60
		},
		range: .25,
		cooldown: 1,
		splash: { radius: 2.2 },
		suicide: true,
		explodesWhenKilled: true,
		normaliser: 1
	},
	{
		...zerg,
		name: "hydralisk",
		health: 80,
		attributes: ["light", "biological"],
		radius: .625,
		sight: 9,
		speed: 2.25,
		damage: 12,
		range: 5,
		cooldown: .824951171875,
		targets: ["ground", "air"],
		normaliser: 10
	},
	{
		...zerg,
		name: "spine_crawler",
		health: 300,
		armor: 2,
		attributes: [
			"armored",
			"biological",
			"structure"
		],
		radius: 1.125,
		sight: 11,
		speed: 0,
		damage: 25,
		bonus: { armored: 5 },
		range: 7,
		cooldown: 1.85009765625,
		scan: 7,
		normaliser: 30
	}
];
/** What SMAClite says instead: Faster-second speeds and cooldowns under 16 ticks per second. */
const SMACLITE = {
	marine: {
		speed: 3.15,
		cooldown: .61
	},
	marauder: {
		speed: 3.15,
		cooldown: 1.07
	},
	medivac: {
		speed: 3.5,
		enemySpeed: 3.5,
		acceleration: void 0
	},
	stalker: {
		speed: 4.13,
		cooldown: 1.34
	},
	zealot: {
		speed: 3.15,
		cooldown: .86
	},
	colossus: {
		speed: 3.15,
		cooldown: 1.07,
		plane: "ground"
	},
	zergling: {
		speed: 4.13,
		cooldown: .497,
		healthRegen: .38
	},
	baneling: {
		speed: 3.15,
		damage: 80,
		bonus: {},
		healthRegen: .38,
		explodesWhenKilled: false
	},
	hydralisk: {
		speed: 3.15,
		cooldown: .59,
		healthRegen: .38
	},
	spine_crawler: {
		cooldown: 1.32,
		radius: .5,
		healthRegen: .38,
		scan: 10
	}
};
/** The ten built-in units of a rule set. SMAClite divides the cooldown in the state by the unit's own. */
function unitTypes(rules) {
	if (rules === "sc2") return [...SC2];
	return SC2.map((unit) => {
		const own = {
			...unit,
			...SMACLITE[unit.name]
		};
		return {
			...own,
			normaliser: own.cooldown > 0 ? Math.ceil(own.cooldown * 16) : unit.normaliser
		};
	});
}
SC2.map((unit) => unit.name);
/** Which bodies push each other: those that share a bit. */
const LAYER = {
	ground: 1,
	air: 2,
	giant: 4
};
const STRUCTURE_LAYER = 5;
/**
* @param sameForBoth both sides use the allied copies of the units (two playable sides)
*/
function unitTables(types, sameForBoth) {
	const T = types.length;
	const column = (of) => Float64Array.from(types, of);
	const bytes = (of) => Uint8Array.from(types, (unit) => of(unit) ? 1 : 0);
	const speed = new Float64Array(2 * T);
	const hit = new Float64Array(T * T);
	types.forEach((unit, t) => {
		speed[t] = unit.speed / 16;
		speed[T + t] = (sameForBoth ? unit.speed : unit.enemySpeed ?? unit.speed) / 16;
		types.forEach((other, o) => {
			const reaches = other.plane === "giant" || unit.targets.includes(other.plane === "air" ? "air" : "ground");
			if (unit.damage === 0 || !reaches) return;
			const extra = other.attributes.reduce((sum, name) => sum + (unit.bonus[name] ?? 0), 0);
			hit[t * T + o] = unit.damage + extra;
		});
	});
	return {
		types,
		health: column((unit) => unit.health),
		shield: column((unit) => unit.shield),
		armor: column((unit) => unit.armor),
		radius: column((unit) => unit.radius),
		speed,
		acceleration: column((unit) => (unit.acceleration ?? 0) / 16 / 16),
		hit,
		attacks: Uint8Array.from(types, (unit) => unit.attacks),
		range: column((unit) => unit.range),
		scan: column((unit) => unit.scan),
		cooldown: column((unit) => unit.cooldown * 16),
		splashRadius: column((unit) => unit.splash !== void 0 && "radius" in unit.splash ? unit.splash.radius : 0),
		barWidth: column((unit) => unit.splash !== void 0 && "width" in unit.splash ? unit.splash.width : 0),
		barDepth: column((unit) => unit.splash !== void 0 && "width" in unit.splash ? unit.splash.depth : 0),
		suicide: bytes((unit) => unit.suicide === true),
		explodes: bytes((unit) => unit.explodesWhenKilled === true),
		heals: column((unit) => (unit.heal?.perSecond ?? 0) / 16),
		perEnergy: column((unit) => unit.heal?.perEnergy ?? 1),
		energyToStart: column((unit) => unit.heal?.energyToStart ?? 0),
		energyStart: column((unit) => unit.energy?.start ?? 0),
		energyMax: column((unit) => unit.energy?.max ?? 0),
		energyRegen: column((unit) => (unit.energy?.regen ?? 0) / 16),
		shieldRegen: column((unit) => unit.shieldRegen / 16),
		shieldDelay: column((unit) => unit.shieldDelay * 16),
		healthRegen: column((unit) => unit.healthRegen / 16),
		normaliser: column((unit) => unit.normaliser),
		layer: Uint8Array.from(types, (unit) => unit.attributes.includes("structure") ? STRUCTURE_LAYER : LAYER[unit.plane]),
		healable: bytes((unit) => unit.attributes.includes("biological") && unit.plane === "ground"),
		flies: bytes((unit) => unit.plane === "air"),
		strides: bytes((unit) => unit.plane === "giant")
	};
}
// envs/skirmish/terrain.ts
/** The ground as cells: who may stand where, how high it is, and the ways around its walls. */
/** Heights of the signs, 0 to 1. Only their order is known of the game; the numbers are ours. */
const HEIGHTS = {
	"#": 0,
	"%": .5,
	".": .5,
	"/": .75,
	h: 1
};
/** On these layouts SMAClite treats the cliff edge as floor. */
const EDGE_IS_FLOOR = [
	"octagon",
	"pentagon",
	"corridor",
	"plateau"
];
/**
* Reads the rows of a layout, top row first.
* @param name layout name; under `smaclite` some layouts differ as that program's do
* @throws TroupeError bad-option naming the row and column that is wrong
*/
function terrainOf(rows, name, rules, heights) {
	const height = rows.length;
	const width = rows[0]?.length ?? 0;
	const refuse = (where, got, expected) => {
		throw new TroupeError("bad-option", {
			where: `skirmish map: terrain${where}`,
			got,
			expected
		});
	};
	if (width < 4 || width > 256 || height < 4 || height > 256) refuse("", `${width} columns and ${height} rows`, "4 to 256 of each");
	const cells = width * height;
	const walkable = new Uint8Array(cells);
	const strideable = new Uint8Array(cells);
	const high = new Float64Array(cells);
	rows.forEach((row, r) => {
		const y = height - 1 - r;
		if (row.length !== width) refuse(`, row ${r + 1}`, `${row.length} signs`, `${width}, as in the first row`);
		for (let x = 0; x < width; x++) {
			const sign = row[x];
			if (HEIGHTS[sign] === void 0) refuse(`, row ${r + 1}, column ${x + 1}`, `"${sign}"`, "# void, % cliff edge, . floor, / ramp, h high ground");
			const floor = sign === "." || sign === "/" || sign === "h";
			const edge = sign === "%";
			let walks = floor;
			if (rules === "smaclite") {
				if (edge && EDGE_IS_FLOOR.includes(name)) walks = name !== "plateau" || y !== 12;
				if (name === "open") walks = x >= 3 && x <= 28 && y >= 3 && y <= 28;
			}
			walkable[y * width + x] = walks ? 1 : 0;
			strideable[y * width + x] = walks || edge && rules === "sc2" ? 1 : 0;
			high[y * width + x] = HEIGHTS[sign];
		}
	});
	const opened = [];
	for (let y = 0; y + 1 < height; y++) for (let x = 0; x + 1 < width; x++) {
		const [a, b, c, d] = [
			y * width + x,
			y * width + x + 1,
			(y + 1) * width + x,
			(y + 1) * width + x + 1
		];
		const signOf = (cell) => rows[height - 1 - Math.floor(cell / width)][cell % width];
		for (const [p, q, r, s] of [[
			a,
			d,
			b,
			c
		], [
			b,
			c,
			a,
			d
		]]) if (walkable[p] === 1 && walkable[q] === 1 && signOf(r) === "%" && signOf(s) === "%") opened.push(r, s);
	}
	for (const cell of opened) walkable[cell] = strideable[cell] = 1;
	if (heights !== void 0) {
		if (heights.length !== height || heights.some((row) => row.length !== width)) refuse(" heights", `${heights.length} rows`, `${height} rows of ${width} numbers, top row first`);
		heights.forEach((row, r) => {
			row.forEach((value, x) => {
				high[(height - 1 - r) * width + x] = value;
			});
		});
	}
	if (!walkable.includes(1)) refuse("", "no cell to stand on", "at least one of . / h");
	const terrain = {
		width,
		height,
		cells,
		walkable,
		strideable,
		heights: high,
		rows
	};
	return {
		...terrain,
		open: isOpen(terrain),
		ways: new Array(cells).fill(null)
	};
}
/** Whether a body walks straight from one cell centre to another: samples every tenth of a cell, a fifth to each side. */
function straight(ground, from, to) {
	const { width, height, walkable } = ground;
	const x0 = from % width + .5;
	const y0 = Math.floor(from / width) + .5;
	const dx = to % width + .5 - x0;
	const dy = Math.floor(to / width) + .5 - y0;
	const length = Math.sqrt(dx * dx + dy * dy);
	if (length === 0) return true;
	const sx = -dy / length * .2;
	const sy = dx / length * .2;
	const samples = Math.ceil(length * 10);
	for (let s = 0; s <= samples; s++) for (let side = -1; side <= 1; side += 2) {
		const x = Math.floor(x0 + dx * s / samples + side * sx);
		const y = Math.floor(y0 + dy * s / samples + side * sy);
		if (x < 0 || y < 0 || x >= width || y >= height || walkable[y * width + x] === 0) return false;
	}
	return true;
}
/** A room without walls inside: every row and every column is one stretch, and so are the diagonals. */
function isOpen(ground) {
	const { width, height, walkable } = ground;
	const oneStretch = (x, y, dx, dy) => {
		let runs = 0;
		let before = 0;
		while (x >= 0 && x < width && y >= 0 && y < height) {
			const here = walkable[y * width + x];
			if (here === 1 && before === 0) runs++;
			before = here;
			x += dx;
			y += dy;
		}
		return runs <= 1;
	};
	for (let y = 0; y < height; y++) if (!oneStretch(0, y, 1, 0) || !oneStretch(0, y, 1, 1) || !oneStretch(0, y, 1, -1)) return false;
	for (let x = 0; x < width; x++) if (!oneStretch(x, 0, 0, 1) || !oneStretch(x, 0, 1, 1) || !oneStretch(x, height - 1, 1, -1)) return false;
	return true;
}
const STEPS_X = [
	1,
	-1,
	0,
	0,
	1,
	1,
	-1,
	-1
];
const STEPS_Y = [
	0,
	0,
	1,
	-1,
	1,
	-1,
	1,
	-1
];
/** Going through a wall costs this many cells: only for targets that stand where nobody can go. */
const WALL_COST = 1e3;
/**
* For every cell the next cell to walk straight to on a shortest way to `target`; the target itself where nothing is in
* between. Dijkstra over eight neighbours without cutting corners, then pulled straight; cached per terrain.
*/
function wayTo(terrain, target) {
	const known = terrain.ways[target];
	if (known !== null) return known;
	const { width, height, cells, walkable } = terrain;
	const cost = new Float64Array(cells).fill(Infinity);
	const next = new Int16Array(cells).fill(target);
	const done = new Uint8Array(cells);
	cost[target] = 0;
	const heap = [target];
	const less = (a, b) => cost[a] < cost[b] || cost[a] === cost[b] && a < b;
	const push = (cell) => {
		let at = heap.length;
		heap.push(cell);
		while (at > 0) {
			const up = at - 1 >> 1;
			if (!less(heap[at], heap[up])) break;
			[heap[at], heap[up]] = [heap[up], heap[at]];
			at = up;
		}
	};
	const pop = () => {
		const top = heap[0];
		const last = heap.pop();
		if (heap.length > 0) {
			heap[0] = last;
			let at = 0;
			for (;;) {
				let least = at;
				for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heap.length; child++) if (less(heap[child], heap[least])) least = child;
				if (least === at) break;
				[heap[at], heap[least]] = [heap[least], heap[at]];
				at = least;
			}
		}
		return top;
	};
	while (heap.length > 0) {
		const cell = pop();
		if (done[cell] === 1) continue;
		done[cell] = 1;
		const x = cell % width;
		const y = Math.floor(cell / width);
		for (let d = 0; d < 8; d++) {
			const nx = x + STEPS_X[d];
			const ny = y + STEPS_Y[d];
			if (nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
			const to = ny * width + nx;
			const diagonal = d >= 4;
			const corner = diagonal && (walkable[y * width + nx] === 0 || walkable[ny * width + x] === 0);
			const wall = walkable[to] === 0 || walkable[cell] === 0 || corner;
			const there = cost[cell] + (diagonal ? Math.SQRT2 : 1) + (wall ? WALL_COST : 0);
			if (there >= cost[to]) continue;
			cost[to] = there;
			next[to] = cell;
			push(to);
		}
	}
	const way = new Int16Array(cells);
	for (let cell = 0; cell < cells; cell++) {
		let reach = next[cell];
		while (reach !== target && straight(terrain, cell, next[reach])) reach = next[reach];
		way[cell] = reach;
	}
	terrain.ways[target] = way;
	return way;
}
// envs/skirmish/custom.ts
/** Maps and units of other people: one JSON object, checked so that its author understands what is wrong. */
const positive = (maximum, description) => Type.Number({
	minimum: 0,
	maximum,
	description
});
const Point = Type.Array(Type.Number({
	minimum: 0,
	maximum: 256
}), {
	minItems: 2,
	maxItems: 2
});
const CustomGroup = Type.Object({
	unit: Type.String({
		maxLength: 40,
		description: "A built-in unit or one of `units`."
	}),
	count: Type.Integer({
		minimum: 1,
		maximum: 200
	}),
	at: Point
}, { additionalProperties: false });
/** A unit of one's own: a built-in one with other numbers. Times in seconds of 16 loops, lengths in cells. */
const CustomUnit = Type.Object({
	name: Type.String({
		pattern: "^[a-z][a-z0-9_]*$",
		maxLength: 40
	}),
	like: Type.String({
		maxLength: 40,
		description: "Built-in unit whose numbers it takes where none are given."
	}),
	health: Type.Optional(Type.Number({
		minimum: 1,
		maximum: 1e5
	})),
	shield: Type.Optional(positive(1e5, "Points above health that regenerate.")),
	armor: Type.Optional(positive(1e3, "Taken off every hit on health.")),
	damage: Type.Optional(positive(1e5, "Per hit.")),
	attacks: Type.Optional(Type.Integer({
		minimum: 1,
		maximum: 20
	})),
	range: Type.Optional(positive(30, "Between edges.")),
	cooldown: Type.Optional(Type.Number({
		minimum: .0625,
		maximum: 600
	})),
	speed: Type.Optional(positive(10, "Cells per second.")),
	radius: Type.Optional(Type.Number({
		minimum: .1,
		maximum: 3
	})),
	sight: Type.Optional(positive(60, "Cells.")),
	scan: Type.Optional(positive(60, "Cells.")),
	attributes: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 8 }))
}, { additionalProperties: false });
const CustomMap = Type.Object({
	name: Type.String({
		pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$",
		maxLength: 60
	}),
	limit: Type.Integer({
		minimum: 1,
		maximum: 1e5,
		description: "Steps of an episode."
	}),
	terrain: Type.Array(Type.String({ maxLength: 256 }), {
		minItems: 4,
		maxItems: 256,
		description: "Rows, top first: '#' void, '%' cliff edge, '.' floor, '/' ramp, 'h' high ground."
	}),
	heights: Type.Optional(Type.Array(Type.Array(Type.Number({
		minimum: 0,
		maximum: 1
	})))),
	allies: Type.Array(CustomGroup, {
		minItems: 1,
		maxItems: 40
	}),
	enemies: Type.Array(CustomGroup, {
		minItems: 1,
		maxItems: 40
	}),
	attack: Type.Optional(Type.Union([
		Point,
		Type.Literal("closest"),
		Type.Literal("none")
	], { description: "Where the enemies attack-move to; closest: each hunts the closest ally; default: the allies." })),
	units: Type.Optional(Type.Array(CustomUnit, { maxItems: 40 }))
}, { additionalProperties: false });
/**
* @throws TroupeError bad-option or unknown-name: unknown units with the nearest name, groups outside the map or in a
*   wall, units given twice
*/
function customMap(custom, rules) {
	const where = `skirmish map "${custom.name}"`;
	const types = unitTypes(rules);
	for (const unit of custom.units ?? []) {
		const like = types.find((one) => one.name === unit.like);
		if (like === void 0) throw unknownName(`${where}: unit ${unit.name}: like`, unit.like, types.map((one) => one.name));
		if (types.some((one) => one.name === unit.name)) throw new TroupeError("bad-option", {
			where: `${where}: units`,
			got: `${unit.name}, which is taken`,
			expected: "a name of its own"
		});
		const { like: _like, ...own } = unit;
		types.push({
			...like,
			...own
		});
	}
	const terrain = terrainOf(custom.terrain, custom.name, rules, custom.heights);
	for (const side of ["allies", "enemies"]) {
		let count = 0;
		for (const group of custom[side]) {
			const unit = types.find((one) => one.name === group.unit);
			if (unit === void 0) throw unknownName(`${where}: ${side}: unit`, group.unit, types.map((one) => one.name));
			const [x, y] = group.at;
			const inside = x >= 0 && y >= 0 && x < terrain.width && y < terrain.height;
			const cell = Math.floor(y) * terrain.width + Math.floor(x);
			if (!inside || unit.plane !== "air" && terrain.strideable[cell] === 0) throw new TroupeError("bad-option", {
				where: `${where}: ${side}: ${group.unit}`,
				got: `starts at ${shown(group.at)}, ${inside ? "in a wall" : "outside the map"}`,
				expected: `a floor cell of the ${terrain.width} by ${terrain.height} map, counted from the lower left corner`
			});
			count += group.count;
		}
		if (count > 200) throw new TroupeError("bad-option", {
			where: `${where}: ${side}`,
			got: `${count} units`,
			expected: "at most 200"
		});
	}
	const allyHome = custom.allies[0].at;
	const groups = (side) => custom[side].map((group) => ({
		unit: group.unit,
		count: group.count,
		at: group.at
	}));
	const attack = custom.attack ?? allyHome;
	return {
		types,
		terrain,
		map: {
			name: custom.name,
			limit: custom.limit,
			terrain: custom.name,
			allies: groups("allies"),
			enemies: groups("enemies"),
			order: typeof attack === "string" ? { kind: attack } : {
				kind: "attack-move",
				to: attack
			}
		}
	};
}
// envs/skirmish/placing.ts
/** Finds room for units that are created where others stand, as the game spreads them. */
/** Offsets to try, nearest first: a square lattice of a fifth of a cell out to eight cells. */
const REACH = 40;
const PITCH = .2;
const OFFSETS = Array.from({ length: 6561 }, (_, i) => ({
	x: i % 81 - REACH,
	y: Math.floor(i / 81) - REACH
})).sort((a, b) => a.x * a.x + a.y * a.y - (b.x * b.x + b.y * b.y) || a.x - b.x || a.y - b.y);
const OFFSET_X = Float64Array.from(OFFSETS, ({ x }) => x * PITCH);
const OFFSET_Y = Float64Array.from(OFFSETS, ({ y }) => y * PITCH);
/**
* Moves unit `i` to the nearest free place to where it is: on its ground and touching none of the units `first` to `i`-1.
* Stays where it is when there is no room within eight cells.
* @param x centred coordinates, written
* @param sign -1 tries the mirrored offsets first, so that mirrored groups spread alike
* @param cells [C] 1 where it may stand; null = anywhere
*/
function settle(x, y, radius, layer, type, first, i, sign, width, height, cells) {
	const px = x[i];
	const py = y[i];
	const own = radius[type[i]];
	const layers = layer[type[i]];
	for (let o = 0; o < OFFSET_X.length; o++) {
		const nx = px + sign * OFFSET_X[o];
		const ny = py + OFFSET_Y[o];
		const cx = Math.floor(nx + width / 2);
		const cy = Math.floor(ny + height / 2);
		if (cx < 0 || cy < 0 || cx >= width || cy >= height) continue;
		if (cells !== null && cells[cy * width + cx] === 0) continue;
		let free = true;
		for (let j = first; j < i && free; j++) {
			if ((layer[type[j]] & layers) === 0) continue;
			const dx = x[j] - nx;
			const dy = y[j] - ny;
			const apart = own + radius[type[j]];
			free = dx * dx + dy * dy >= apart * apart;
		}
		if (!free) continue;
		x[i] = nx;
		y[i] = ny;
		return;
	}
}
// envs/skirmish/terrains.ts
/** The ground of the maps. Rows from y = 31 at the top to y = 0; NOTICE.md names the source. */
/** '#' void, '%' cliff edge, '.' floor, '/' ramp, 'h' high ground. */
const TERRAINS = {
	strip: [
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################"
	],
	open: [
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................",
		"................................"
	],
	octagon: [
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"#########%%%%%%%%%%%%%%#########",
		"########%%............%%########",
		"#######%%%............%%%#######",
		"######%%................%%######",
		"#####%%%................%%%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%....................%#####",
		"#####%%%................%%%#####",
		"######%%................%%######",
		"#######%%%............%%%#######",
		"########%%............%%########",
		"#########%%%%%%%%%%%%%%#########",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################"
	],
	pentagon: [
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"###########%%%%%%###############",
		"##########%%....%%##############",
		"#########%%%....%%%#############",
		"########%%........%%############",
		"#######%%%........%%%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%............%###########",
		"#######%%%%%%%%%%%%%%###########",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################"
	],
	corridor: [
		"################################",
		"###################%%%%%%%%%%%%#",
		"##################%%..........%#",
		"#################%%%..........%#",
		"################%%............%#",
		"###############%%%............%#",
		"##############%%..............%#",
		"#############%%%..............%#",
		"############%%................%#",
		"###########%%%................%#",
		"###########%..................%#",
		"###########%..................%#",
		"###########%..................%#",
		"###########%..................%#",
		"###########%%%..............%%%#",
		"############%%..............%%##",
		"############%%............%%%###",
		"###########%%%............%%####",
		"##########%%..%%%%%%%%%%%%%#####",
		"#%%%%%%%%%%%..%%################",
		"#%..........%%%#################",
		"#%..........%%##################",
		"#%..........%###################",
		"#%..........%###################",
		"#%..........%###################",
		"#%..........%###################",
		"#%..........%###################",
		"#%..........%###################",
		"#%..........%%##################",
		"#%..........%%%#################",
		"#%%%%%%%%%%%%%%#################",
		"################################"
	],
	diagonal: [
		"################################",
		"#####################%%%%%%%%%%#",
		"####################%%........%#",
		"###################%%%........%#",
		"###################%..........%#",
		"###################%..........%#",
		"##################%%..........%#",
		"###############%%%%%..........%#",
		"##############%%..............%#",
		"#############%%%..............%#",
		"#############%............%%%%%#",
		"#############%............%%####",
		"############%%............%#####",
		"#########%%%%%............%#####",
		"########%%..........%%%%%%%#####",
		"#######%%%..........%%##########",
		"#######%............%###########",
		"#######%............%###########",
		"######%%............%###########",
		"###%%%%%............%###########",
		"###%............%%%%%###########",
		"###%............%%##############",
		"##%%............%###############",
		"#%%%............%###############",
		"#%..........%%%%%###############",
		"#%..........%%##################",
		"#%..........%###################",
		"#%..........%###################",
		"#%......%%%%%###################",
		"#%......%%######################",
		"#%%%%%%%%#######################",
		"################################"
	],
	plateau: [
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"###%%%%%%%%%%%%%%%%%%%%%%%%%%###",
		"##%%%%%%hhhhhhhhhhhhhhhh%%%%%%##",
		"#%%%%%%%hhhhhhhhhhhhhhhh%%%%%%%#",
		"%%..///hhhhhhhhhhhhhhhhhh///..%%",
		"%%..///hhhhhhhhhhhhhhhhhh///..%%",
		"....///hhhhhhhhhhhhhhhhhh///....",
		"....///hhhhhhhhhhhhhhhhhh///....",
		"....%%%%%%%%%%%%%%%%%%%%%%%%....",
		"....%%%%%%%%%%%%%%%%%%%%%%%%....",
		"................................",
		"................................",
		"%%............................%%",
		"%%............................%%",
		"#%%%........................%%%#",
		"##%%........................%%##",
		"###%%%%%%%%%%%%%%%%%%%%%%%%%%###",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################"
	],
	box: [
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"#########%%%%%%%%%%%%###########",
		"########%%..........%%##########",
		"#######%%%..........%%%#########",
		"#######%..............%#########",
		"#######%..............%#########",
		"#######%..............%#########",
		"#######%..............%#########",
		"#######%..............%#########",
		"#######%..............%#########",
		"#######%..............%#########",
		"#######%..............%#########",
		"#######%%%..........%%%#########",
		"########%%..........%%##########",
		"#########%%%%%%%%%%%%###########",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################",
		"################################"
	]
};
// envs/skirmish/options.ts
/** Options of the skirmish and what follows from them. */
const yes = (description) => Type.Boolean({
	default: true,
	description
});
const no = (description) => Type.Boolean({
	default: false,
	description
});
/** Names of the generated battles of SMACv2: `<race>_<allies>_vs_<enemies>`. */
const GENERATED = /^(terran|protoss|zerg)_(\d{1,3})_vs_(\d{1,3})$/;
const OPTIONS = Type.Object({
	map: Type.String({
		default: "3m",
		maxLength: 60,
		description: "One of the 23 SMAC maps (3m, 2s3z, corridor …), a SMACv2 battle (terran_5_vs_5: race, allies, enemies), or the name of `custom`."
	}),
	custom: Type.Union([CustomMap, Type.Null()], {
		default: null,
		description: "A map and units of your own; README.md has an example. Overrides `map`."
	}),
	rules: Type.Union(RULE_SETS.map((name) => Type.Literal(name)), {
		default: "sc2",
		description: "sc2: Normal-second values of the game. smaclite: the numbers of that program."
	}),
	compatibility: no("Reproduces the documented quirks of SMAC and SMACv2: flipped enemy type bits, absolute reward, scaled sparse reward, time feature behind a spare zero, faulty cone, reward scale of the first episode."),
	loops: Type.Integer({
		default: 8,
		minimum: 1,
		maximum: 64,
		description: "Game loops of 1/16 s per step."
	}),
	jitter: yes("Chance in the fighting. sc2: -1 to +2 loops on every cooldown. smaclite: units act in random order within a loop."),
	spawnJitter: Type.Number({
		default: .04,
		minimum: 0,
		maximum: .04,
		description: "Units of fixed maps start up to this many cells off in x and y (sc2 only)."
	}),
	moveAmount: Type.Number({
		default: 2,
		minimum: .5,
		maximum: 16,
		description: "Cells a move order aims away."
	}),
	opponent: Type.Union([Type.Literal("scripted"), Type.Literal("policy")], {
		default: "scripted",
		description: "policy: the enemies are agents too, with the same kind of observations and actions."
	}),
	lastAction: no("Observations hold each visible ally's last action."),
	pathingGrid: no("Observations hold whether eight places around are walkable."),
	terrainHeight: no("Observations hold the height of nine places around."),
	timestep: no("Observations end with step / horizon."),
	ownHealth: yes("Observations hold the own health and shield."),
	allHealth: yes("Observations hold the health and shield of others; own ones too only with ownHealth."),
	observationsAsState: no("The state is all observations one after another."),
	stateLastAction: yes("The state ends with every last action."),
	stateTimestep: no("The state ends with step / horizon."),
	sparse: no("Reward 1 for a win and -1 for a loss, nothing else."),
	onlyPositive: yes("Rewards are never negative: own losses do not count."),
	scaled: yes("Rewards are divided so that a perfect win returns `scaleTo`."),
	scaleTo: Type.Number({
		default: 20,
		minimum: .01,
		maximum: 1e6,
		description: "Return of a perfect win."
	}),
	killReward: Type.Number({
		default: 10,
		minimum: 0,
		maximum: 1e6,
		description: "Points per enemy killed."
	}),
	winReward: Type.Number({
		default: 200,
		minimum: 0,
		maximum: 1e6,
		description: "Points for a win."
	}),
	lossReward: Type.Number({
		default: 0,
		minimum: 0,
		maximum: 1e6,
		description: "Points taken for a loss."
	}),
	negativeScale: Type.Number({
		default: .5,
		minimum: 0,
		maximum: 100,
		description: "Weight of own losses when onlyPositive is off."
	}),
	cone: no("SMACv2: twelve look actions; an agent sees and attacks only in a cone of 30 degrees."),
	actionMask: yes("SMACv2 EPO: off = attacks on every living enemy are legal, those out of reach do nothing."),
	sharedSight: Type.Number({
		default: 1,
		minimum: 0,
		maximum: 1,
		description: "SMACv2 EPO: chance that an agent may see an enemy that another agent saw first."
	}),
	surrounded: Type.Number({
		default: .5,
		minimum: 0,
		maximum: 1,
		description: "SMACv2: chance of the surrounded start; else the reflected one."
	})
}, { additionalProperties: false });
const sorted = (names) => [...new Set(names)].sort();
/** SMACv2's teams [code]: types in the order of their bits, weights, and who may not be alone. */
const TEAMS$1 = {
	terran: {
		units: [
			"marine",
			"marauder",
			"medivac"
		],
		notAlone: "medivac"
	},
	protoss: {
		units: [
			"stalker",
			"zealot",
			"colossus"
		],
		notAlone: null
	},
	zerg: {
		units: [
			"zergling",
			"hydralisk",
			"baneling"
		],
		notAlone: "baneling"
	}
};
const ODDS = [
	.45,
	.9,
	1
];
const GENERATED_LIMIT = 200;
const LEAST_SHOOT_RANGE = 2;
/** SMAC's ranges, the same for every unit. */
const SHOOT_RANGE = 6;
const SIGHT_RANGE = 9;
/** Steps of an episode where no horizon is given: the map's own limit. */
function limitOf(options) {
	if (options.custom !== null) return options.custom.limit;
	return MAPS.find((map) => map.name === options.map)?.limit ?? GENERATED_LIMIT;
}
/**
* Checks the options against each other and derives the plan.
* @throws TroupeError for an unknown map, and for a custom map that cannot be
*/
function planOf(options) {
	const { rules } = options;
	const custom = options.custom === null ? null : customMap(options.custom, rules);
	const generated = custom === null ? GENERATED.exec(options.map) : null;
	if (generated !== null) return generatedPlan(options, generated);
	const map = custom?.map ?? MAPS.find((one) => one.name === options.map);
	if (map === void 0) throw unknownName("skirmish map", options.map, [...MAPS.map((one) => one.name), ...SMACV2]);
	const types = custom?.types ?? unitTypes(rules);
	const terrain = custom?.terrain ?? terrainOf(TERRAINS[map.terrain], map.terrain, rules);
	const allyTypes = sorted(map.allies.map((group) => group.unit));
	const enemyTypes = sorted(map.enemies.map((group) => group.unit));
	const starts = startsOf(map, types, terrain, rules);
	const seen = allyTypes.length + enemyTypes.length > 2 ? sorted([...allyTypes, ...enemyTypes]) : [];
	const enemyBits = options.compatibility && seen.join() === "stalker,zealot" ? ["zealot", "stalker"] : seen;
	return finish(options, {
		map: map.name,
		types,
		terrain,
		starts,
		generated: null,
		order: map.order,
		counts: [starts[0].length, starts[1].length],
		present: [allyTypes, enemyTypes],
		bits: [seen, enemyBits],
		limit: options.horizon ?? map.limit,
		shoot: () => SHOOT_RANGE,
		sight: () => SIGHT_RANGE
	});
}
/** The 15 standard battles of SMACv2. */
const SMACV2 = [
	"terran",
	"protoss",
	"zerg"
].flatMap((race) => [
	"5_vs_5",
	"10_vs_10",
	"10_vs_11",
	"20_vs_20",
	"20_vs_23"
].map((size) => `${race}_${size}`));
function generatedPlan(options, match) {
	const race = match[1];
	const counts = [Number(match[2]), Number(match[3])];
	if (counts.some((count) => count < 1 || count > 200)) throw new TroupeError("bad-option", {
		where: "skirmish options: map",
		got: options.map,
		expected: "1 to 200 units on each side"
	});
	const types = unitTypes(options.rules);
	const team = TEAMS$1[race];
	const index = (name) => types.findIndex((unit) => unit.name === name);
	return finish(options, {
		map: options.map,
		types,
		terrain: terrainOf(TERRAINS.open, "open", options.rules),
		starts: null,
		generated: {
			race,
			types: team.units.map(index),
			odds: ODDS,
			notAlone: team.notAlone === null ? -1 : index(team.notAlone)
		},
		order: { kind: "closest" },
		counts,
		present: [team.units, team.units],
		bits: [team.units, team.units],
		limit: options.horizon ?? GENERATED_LIMIT,
		shoot: (unit) => Math.max(LEAST_SHOOT_RANGE, unit.range),
		sight: (unit) => unit.sight
	});
}
function finish(options, draft) {
	const { types, counts, bits } = draft;
	const typeBits = bits[0].length;
	const named = (name) => types.find((unit) => unit.name === name);
	const shields = draft.present.map((names) => names.some((name) => named(name).shield > 0) ? 1 : 0);
	const healers = draft.present.map((names) => names.some((name) => named(name).heal !== void 0));
	const look = options.cone ? 12 : 0;
	const both = options.opponent === "policy";
	const actionsOf = (side) => {
		const own = counts[side];
		const other = counts[1 - side];
		return 6 + look + (healers[side] ? Math.max(own, other) : other);
	};
	const health = options.allHealth ? 1 : 0;
	const sizeOf = (side) => {
		const enemySize = 4 + health * (1 + shields[1 - side]) + typeBits;
		const allySize = 4 + health * (1 + shields[side]) + typeBits + (options.lastAction ? actionsOf(side) : 0);
		const move = 4 + (options.pathingGrid ? 8 : 0) + (options.terrainHeight ? 9 : 0);
		const own = (options.ownHealth ? 1 + shields[side] : 0) + (draft.generated === null ? 0 : 2) + (options.cone ? 2 : 0) + typeBits;
		const time = options.timestep ? options.compatibility ? 2 : 1 : 0;
		return move + counts[1 - side] * enemySize + (counts[side] - 1) * allySize + own + time;
	};
	const layout = (side) => ({
		base: side === 0 ? 0 : counts[0],
		count: counts[side],
		shields: shields[side],
		bits: Int16Array.from(types, (unit) => bits[side].indexOf(unit.name)),
		actions: actionsOf(side),
		firstAttack: 6 + look,
		observation: sizeOf(side)
	});
	const sides = [layout(0), layout(1)];
	const plan = {
		options,
		rules: options.rules,
		map: draft.map,
		terrain: draft.terrain,
		tables: unitTables(types, both),
		sides,
		units: counts[0] + counts[1],
		agents: both ? counts[0] + counts[1] : counts[0],
		typeBits,
		starts: draft.starts,
		generated: draft.generated,
		order: draft.order,
		enemyHome: homeOf(draft.starts),
		limit: draft.limit,
		stateSize: 0,
		shootRange: Float64Array.from(types, draft.shoot),
		sightRange: Float64Array.from(types, draft.sight),
		medics: healers[0],
		ownPosition: draft.generated !== null,
		arrival: Float64Array.from([0, 1], (side) => {
			const widest = Math.max(...draft.present[side].map((name) => named(name).radius));
			return options.rules === "sc2" && counts[side] > 1 ? 1.25 * widest * Math.sqrt(counts[side]) : 0;
		}),
		fighters: Uint8Array.from([0, 1], (side) => {
			const starts = draft.starts?.[side];
			return starts === void 0 || starts.some((start) => types[start.type].heal === void 0) ? 1 : 0;
		}),
		alphabet: alphabetOf(types)
	};
	return {
		...plan,
		stateSize: stateSizeOf(plan)
	};
}
function alphabetOf(types) {
	const names = sorted(types.map((unit) => unit.name));
	return Uint8Array.from(types, (unit) => names.indexOf(unit.name));
}
function homeOf(starts) {
	if (starts === null) return [0, 0];
	const enemies = starts[1];
	const sum = (of) => enemies.reduce((total, start) => total + of(start), 0);
	return [sum((start) => start.x) / enemies.length, sum((start) => start.y) / enemies.length];
}
function stateSizeOf(plan) {
	const { options, sides, typeBits, agents } = plan;
	if (options.observationsAsState) return sides[0].count * sides[0].observation + (agents > sides[0].count ? sides[1].count * sides[1].observation : 0);
	const ally = 4 + sides[0].shields + (options.cone ? 2 : 0) + typeBits;
	const enemy = 3 + sides[1].shields + typeBits;
	const acting = options.stateLastAction ? sides[0].count * sides[0].actions : 0;
	return sides[0].count * ally + sides[1].count * enemy + acting + (options.stateTimestep ? 1 : 0);
}
/** Free space between units that start side by side [SMAClite]. */
const START_GAP = .05;
/** Starts of a fixed map by side, centred. */
function startsOf(map, types, terrain, rules) {
	const cx = terrain.width / 2;
	const cy = terrain.height / 2;
	const index = (name) => types.findIndex((unit) => unit.name === name);
	if (rules === "smaclite" && map.smaclite !== void 0) return [map.smaclite.allies, map.smaclite.enemies].map((list) => list.map(([name, x, y]) => ({
		type: index(name),
		x: x - cx,
		y: y - cy
	})));
	return [squares(map.allies, 1), squares(map.enemies, -1)];
	/** Groups of one point share a square grid, filled row by row; the enemies' is mirrored left to right. */
	function squares(groups, sign) {
		const starts = [];
		const points = /* @__PURE__ */ new Map();
		for (const group of groups) {
			const key = group.at.join();
			points.set(key, [...points.get(key) ?? [], group]);
		}
		for (const together of points.values()) {
			const members = together.flatMap((group) => new Array(group.count).fill(index(group.unit)));
			const side = Math.ceil(Math.sqrt(members.length));
			const pitch = 2 * Math.max(...members.map((type) => types[type].radius)) + START_GAP;
			const rows = Math.ceil(members.length / side);
			members.forEach((type, k) => {
				const column = k % side;
				const row = Math.floor(k / side);
				starts.push({
					type,
					x: together[0].at[0] - cx + sign * (column - (Math.min(side, members.length) - 1) / 2) * pitch,
					y: together[0].at[1] - cy + (row - (rows - 1) / 2) * pitch
				});
			});
		}
		const x = Float64Array.from(starts, (start) => start.x);
		const y = Float64Array.from(starts, (start) => start.y);
		const type = Uint8Array.from(starts, (start) => start.type);
		const { radius, layer, strides, flies } = unitTables(types, false);
		const inflated = radius.map((r) => r + START_GAP / 2 - 1e-6);
		starts.forEach((start, i) => {
			const cells = flies[start.type] === 1 ? null : strides[start.type] === 1 ? terrain.strideable : terrain.walkable;
			settle(x, y, inflated, layer, type, 0, i, sign, terrain.width, terrain.height, cells);
		});
		return starts.map((start, i) => ({
			type: start.type,
			x: x[i],
			y: y[i]
		}));
	}
}
function createEngine(plan, scripted) {
	const U = plan.units;
	const numbers = () => new Float64Array(U);
	const buckets = Math.ceil(plan.terrain.width / 4) * Math.ceil(plan.terrain.height / 4);
	const pairs = U * (U - 1) / 2;
	return {
		living: 0,
		live: new Int16Array(U),
		shuffled: new Int16Array(U),
		mode: new Uint8Array(U),
		fire: new Int16Array(U),
		mend: new Int16Array(U),
		ready: new Uint8Array(U),
		exploded: new Uint8Array(U),
		wx: numbers(),
		wy: numbers(),
		nx: numbers(),
		ny: numbers(),
		blocker: new Int16Array(U),
		blockedAt: numbers(),
		ax: new Int32Array(U),
		ay: new Int32Array(U),
		before: numbers(),
		takenBefore: numbers(),
		pairs: 0,
		pairA: new Int16Array(pairs),
		pairB: new Int16Array(pairs),
		pairApart: new Float64Array(pairs),
		close: new Int32Array(pairs),
		travelled: 0,
		restless: true,
		head: new Int16Array(buckets),
		next: new Int16Array(U),
		fastest: Math.max(...plan.tables.speed),
		largest: Math.max(...plan.tables.radius),
		scripted,
		lines: new Float64Array(U * 4),
		projected: new Float64Array(U * 4),
		result: /* @__PURE__ */ new Float64Array(2),
		goal: /* @__PURE__ */ new Float64Array(3),
		vx: numbers(),
		vy: numbers()
	};
}
// envs/skirmish/ground.ts
/** Nobody's centre comes nearer to the edge of the map than this, in cells. */
const EDGE = 1 / 64;
/** Cell of a centred point, which must be on the map. */
function cellOf(terrain, x, y) {
	return Math.floor(y + terrain.height / 2) * terrain.width + Math.floor(x + terrain.width / 2);
}
/** Whether a centred point is on the map and in a cell marked 1. */
function standsOn(terrain, cells, x, y) {
	const cx = Math.floor(x + terrain.width / 2);
	const cy = Math.floor(y + terrain.height / 2);
	if (cx < 0 || cy < 0 || cx >= terrain.width || cy >= terrain.height) return false;
	return cells[cy * terrain.width + cx] === 1;
}
/** Whether a centred point is in a wall; outside the map there is none. */
function wallAt(terrain, x, y) {
	const cx = Math.floor(x + terrain.width / 2);
	const cy = Math.floor(y + terrain.height / 2);
	if (cx < 0 || cy < 0 || cx >= terrain.width || cy >= terrain.height) return false;
	return terrain.walkable[cy * terrain.width + cx] === 0;
}
// envs/skirmish/state.ts
/** The skirmish as typed arrays: what decides the future, and scratch. */
const ORDERS = [
	"stop",
	"move",
	"attack",
	"heal",
	"attack-move",
	"hunt",
	"guard"
];
function createState(plan, lanes) {
	const size = lanes * plan.units;
	const numbers = () => new Float64Array(size);
	return {
		plan,
		lanes,
		type: new Uint8Array(size),
		x: numbers(),
		y: numbers(),
		vx: numbers(),
		vy: numbers(),
		health: numbers(),
		shield: numbers(),
		energy: numbers(),
		credit: numbers(),
		cooldown: numbers(),
		quiet: numbers(),
		order: new Uint8Array(size),
		aim: new Int16Array(size),
		px: numbers(),
		py: numbers(),
		facing: new Uint8Array(size),
		lastAction: new Int16Array(size),
		tied: new Int16Array(plan.options.sharedSight < 1 ? size : 0),
		granted: new Uint8Array(plan.options.sharedSight < 1 ? size * plan.units : 0),
		tally: new Float64Array(lanes * 8),
		dealt: numbers(),
		taken: numbers(),
		struck: new Int16Array(size),
		script: null,
		watch: null
	};
}
/** The arrays that a snapshot holds and a digest covers. */
function savedArrays(state) {
	const { type, x, y, vx, vy, health, shield, energy, credit, cooldown, quiet, order, aim, px, py } = state;
	const { facing, lastAction, tied, granted, tally, dealt, taken, struck } = state;
	const arrays = {
		type,
		x,
		y,
		vx,
		vy,
		health,
		shield,
		energy,
		credit,
		cooldown,
		quiet,
		order,
		aim,
		px,
		py
	};
	const rest = {
		facing,
		lastAction,
		tally,
		dealt,
		taken,
		struck
	};
	return {
		...arrays,
		...rest,
		...granted.length > 0 ? {
			tied,
			granted
		} : {}
	};
}
/**
* Refuses a lane that no sequence of legal steps could produce (a tampered snapshot).
* @throws TroupeError bad-file naming the first thing that is wrong
*/
function checkLane(state, lane) {
	const { plan, type, x, y, health, order, aim, facing, lastAction, struck } = state;
	const { units, tables, terrain, sides } = plan;
	const T = tables.types.length;
	const refuse = (what, got, expected) => {
		throw new TroupeError("bad-file", {
			where: `skirmish: snapshot: ${what}`,
			got,
			expected
		});
	};
	for (let u = 0; u < units; u++) {
		const i = lane * units + u;
		if (type[i] >= T) refuse(`unit ${u}`, `of type ${type[i]}`, `types of 0 to ${T - 1}`);
		if (!(Math.abs(x[i]) <= terrain.width / 2 && Math.abs(y[i]) <= terrain.height / 2)) refuse(`unit ${u}`, `at ${x[i]}, ${y[i]}`, "a place on the map");
		if (!(health[i] >= 0)) refuse(`unit ${u}`, `with health ${health[i]}`, "0 or more");
		if (order[i] >= ORDERS.length) refuse(`unit ${u}`, `with order ${order[i]}`, `0 to ${ORDERS.length - 1}`);
		for (const [name, value] of [["aim", aim[i]], ["struck", struck[i]]]) if (value < -1 || value >= units) refuse(`unit ${u}: ${name}`, `${value}`, `-1 to ${units - 1}`);
		if (facing[i] > 11) refuse(`unit ${u}: facing`, `${facing[i]}`, "0 to 11");
		const actions = sides[u < sides[0].count ? 0 : 1].actions;
		if (lastAction[i] < -1 || lastAction[i] >= actions) refuse(`unit ${u}: last action`, `${lastAction[i]}`, `-1 to ${actions - 1}`);
	}
	for (const name of [
		"x",
		"y",
		"shield",
		"energy",
		"credit",
		"cooldown",
		"quiet",
		"px",
		"py",
		"vx",
		"vy"
	]) if (!state[name].subarray(lane * units, (lane + 1) * units).every(Number.isFinite)) refuse(name, "not finite", "finite numbers");
}
// envs/skirmish/start.ts
/** How an episode begins: who fights, where they stand, what the enemies are ordered. */
/** Generator streams. */
const STREAMS = [
	"teams",
	"spawns",
	"combat",
	"sight"
];
/** Starts the listed lanes. */
function start(state, scripted, random, streams, lanes, count) {
	const { plan, type, x, y, health, shield, energy, tally } = state;
	const { units, tables, order, sides, enemyHome, terrain } = plan;
	for (let k = 0; k < count; k++) {
		const lane = lanes[k];
		const first = lane * units;
		const draws = (stream) => (lane * streams + stream) * 4;
		if (plan.generated === null) placeFixed(state, first, random, draws(1));
		else {
			drawTeams(plan, type, first, random, draws(0));
			placeDrawn(state, first, random, draws(1));
		}
		let goalX = 0;
		let goalY = 0;
		if (order.kind === "attack-move") {
			goalX = order.to[0] - terrain.width / 2;
			goalY = order.to[1] - terrain.height / 2;
		} else if (order.kind === "segment") {
			const t = nextFloat(random, draws(1));
			goalX = order.from[0] + t * (order.to[0] - order.from[0]) - terrain.width / 2;
			goalY = order.from[1] + t * (order.to[1] - order.from[1]) - terrain.height / 2;
		}
		const standing = order.kind === "none" ? 6 : order.kind === "closest" ? 5 : 4;
		for (let u = 0; u < units; u++) {
			const i = first + u;
			const ally = u < sides[0].count;
			health[i] = tables.health[type[i]];
			shield[i] = tables.shield[type[i]];
			energy[i] = tables.energyStart[type[i]];
			state.vx[i] = state.credit[i] = state.cooldown[i] = 0;
			state.vy[i] = plan.rules === "sc2" ? 1 : 0;
			state.quiet[i] = tables.shieldDelay[type[i]];
			state.aim[i] = state.struck[i] = state.lastAction[i] = -1;
			state.facing[i] = 0;
			state.dealt[i] = state.taken[i] = 0;
			state.order[i] = scripted[u] === 0 ? 0 : ally && standing === 6 ? 4 : standing;
			state.px[i] = scripted[u] === 0 ? x[i] : ally ? enemyHome[0] : goalX;
			state.py[i] = scripted[u] === 0 ? y[i] : ally ? enemyHome[1] : goalY;
		}
		const row = lane * 8;
		for (let t = 0; t < 8; t++) if (t !== 6) tally[row + t] = 0;
		if (state.granted.length > 0) {
			state.tied.fill(0, first, first + units);
			state.granted.fill(0, first * units, (first + units) * units);
		}
	}
}
/** Fixed maps: the layout of the plan, each unit up to spawnJitter off; allies of one type in order of x, then y. */
function placeFixed(state, first, random, draws) {
	const { plan, type, x, y } = state;
	const { options, sides, terrain, tables, rules } = plan;
	const jitter = rules === "sc2" ? options.spawnJitter : 0;
	for (let side = 0; side < 2; side++) {
		const starts = plan.starts[side];
		const base = first + sides[side].base;
		for (let n = 0; n < starts.length; n++) {
			const i = base + n;
			type[i] = starts[n].type;
			x[i] = starts[n].x;
			y[i] = starts[n].y;
			if (jitter === 0) continue;
			const jx = x[i] + (2 * nextFloat(random, draws) - 1) * jitter;
			const jy = y[i] + (2 * nextFloat(random, draws) - 1) * jitter;
			const cx = Math.floor(jx + terrain.width / 2);
			const cy = Math.floor(jy + terrain.height / 2);
			if (cx < 0 || cy < 0 || cx >= terrain.width || cy >= terrain.height) continue;
			const cells = tables.strides[type[i]] === 1 ? terrain.strideable : terrain.walkable;
			if (tables.flies[type[i]] === 0 && cells[cy * terrain.width + cx] === 0) continue;
			x[i] = jx;
			y[i] = jy;
		}
		if (rules === "sc2" && side === 0) sortRow(type, x, y, null, base, starts.length);
	}
}
/** Insertion sort by rank of type (null = the types stand together already), then x, then y. */
function sortRow(type, x, y, rank, base, count) {
	for (let i = base + 1; i < base + count; i++) {
		const [t, px, py] = [
			type[i],
			x[i],
			y[i]
		];
		let j = i - 1;
		while (j >= base) {
			const a = rank === null ? 0 : rank[type[j]];
			const b = rank === null ? 0 : rank[t];
			if (rank === null && type[j] !== t) break;
			if (!(a > b || a === b && (x[j] > px || x[j] === px && y[j] > py))) break;
			type[j + 1] = type[j];
			x[j + 1] = x[j];
			y[j + 1] = y[j];
			j--;
		}
		type[j + 1] = t;
		x[j + 1] = px;
		y[j + 1] = py;
	}
}
/**
* SMACv2's weighted teams: every allied slot on its own; the enemies are the same list, cut or filled up with further
* draws. A list of forbidden units alone is drawn again.
*/
function drawTeams(plan, type, first, random, draws) {
	const { sides, generated } = plan;
	const { types, odds, notAlone } = generated;
	const draw = (from, to) => {
		for (;;) {
			let alone = true;
			for (let i = from; i < to; i++) {
				const u = nextFloat(random, draws);
				let t = 0;
				while (t < odds.length - 1 && u >= odds[t]) t++;
				type[i] = types[t];
				if (types[t] !== notAlone) alone = false;
			}
			if (!alone || to === from) return;
		}
	};
	const [allies, enemies] = [sides[0].count, sides[1].count];
	const base = first + sides[1].base;
	draw(first, first + allies);
	for (let n = 0; n < Math.min(allies, enemies); n++) type[base + n] = type[first + n];
	draw(base + Math.min(allies, enemies), base + enemies);
}
/** Corners of the surrounded start, as signs of x and y. */
const CORNER_X = [
	-1,
	-1,
	1,
	1
];
const CORNER_Y = [
	-1,
	1,
	-1,
	1
];
/** SMACv2's "surrounded and reflect" starts; units created on one point are spread. */
function placeDrawn(state, first, random, draws) {
	const { plan, type, x, y } = state;
	const { sides, terrain, options, tables } = plan;
	const [allies, enemies] = [sides[0].count, sides[1].count];
	const base = first + sides[1].base;
	const halfWidth = terrain.width / 2;
	const halfHeight = terrain.height / 2;
	if (nextFloat(random, draws) >= options.surrounded) {
		for (let n = 0; n < allies; n++) {
			x[first + n] = nextFloat(random, draws) * (halfWidth - 1) - halfWidth;
			y[first + n] = nextFloat(random, draws) * 2 * halfHeight - halfHeight;
		}
		for (let n = 0; n < enemies; n++) {
			const extra = n >= allies;
			x[base + n] = extra ? nextFloat(random, draws) * halfWidth : -x[first + n];
			y[base + n] = extra ? nextFloat(random, draws) * 2 * halfHeight - halfHeight : y[first + n];
		}
	} else {
		for (let n = 0; n < allies; n++) x[first + n] = y[first + n] = 0;
		const groups = 1 + nextBelow(random, draws, 4);
		let corners = 12816;
		for (let g = 3; g > 0; g--) {
			const other = nextBelow(random, draws, g + 1);
			const swap = corners >> 4 * g & 15 ^ corners >> 4 * other & 15;
			corners ^= swap << 4 * g;
			corners ^= swap << 4 * other;
		}
		for (let n = 0; n < enemies; n++) x[base + n] = -1 - nextBelow(random, draws, groups);
		for (let g = 0; g < groups; g++) {
			const corner = corners >> 4 * g & 15;
			const t = nextFloat(random, draws);
			const px = CORNER_X[corner] * (t * 2 + (1 - t) * halfWidth);
			const py = CORNER_Y[corner] * (t * 2 + (1 - t) * halfHeight);
			for (let n = 0; n < enemies; n++) {
				if (x[base + n] !== -1 - g) continue;
				state.px[base + n] = px;
				state.py[base + n] = py;
			}
		}
		for (let n = 0; n < enemies; n++) {
			x[base + n] = state.px[base + n];
			y[base + n] = state.py[base + n];
		}
	}
	sortRow(type, x, y, plan.alphabet, first, allies);
	const cells = plan.rules === "smaclite" ? terrain.walkable : null;
	const total = allies + enemies;
	for (let u = 0; u < total; u++) {
		const sign = u < allies ? 1 : -1;
		const { radius, layer } = tables;
		const i = first + u;
		settle(x, y, radius, layer, type, first, i, sign, terrain.width, terrain.height, cells);
		x[i] = Math.max(-halfWidth + EDGE, Math.min(halfWidth - EDGE, x[i]));
		y[i] = Math.max(-halfHeight + EDGE, Math.min(halfHeight - EDGE, y[i]));
	}
}
// envs/skirmish/sight.ts
/** Who sees whom, and what may be done about it: ranges, the cone, and the sharing of sight of SMACv2's EPO. */
const HALF = Math.sqrt(3) / 2;
/** Unit vectors of the twelve look directions, 0 = east, 30 degrees apart, anticlockwise. */
const LOOK_X = Float64Array.of(1, HALF, .5, 0, -.5, -HALF, -1, -HALF, -.5, 0, .5, HALF);
const LOOK_Y = Float64Array.of(0, .5, HALF, 1, HALF, .5, 0, -.5, -HALF, -1, -HALF, -.5);
/** Cosine and tangent of the half angle of the cone, 15 degrees. */
const COS_HALF = (Math.sqrt(6) + Math.sqrt(2)) / 4;
const TAN_HALF = 2 - Math.sqrt(3);
/** Upstream's guard against dividing by zero. */
const TINY = 1e-7;
/** Whether (dx, dy) lies in the cone looked along; strict. */
function inCone(plan, facing, dx, dy) {
	const fx = LOOK_X[facing];
	const fy = LOOK_Y[facing];
	if (!plan.options.compatibility) return fx * dx + fy * dy > COS_HALF * Math.sqrt(dx * dx + dy * dy);
	const ox = dx > 0 ? Math.max(dx, TINY) : Math.min(dx, -1e-7);
	const vx = dx > 0 ? Math.max(fx, TINY) : Math.min(fx, -1e-7);
	const a = dy / ox;
	const b = fy / vx;
	const turn = 1 + a * b;
	return turn > 0 && Math.abs(a - b) < TAN_HALF * turn;
}
/** Whether living unit `u` has living unit `v` in sight, leaving aside what others have seen. d2: squared distance. */
function inSight(state, first, u, v, d2) {
	const { plan, type, x, y, facing } = state;
	const range = plan.sightRange[type[first + u]];
	if (!plan.options.cone) return d2 < range * range;
	if (d2 > range * range) return false;
	const i = first + u;
	return inCone(plan, facing[i], x[first + v] - x[i], y[first + v] - y[i]);
}
/** Whether the sharing of sight lets `u` look at opponent `v`. */
function maySee(state, first, u, v) {
	if (state.granted.length === 0) return true;
	return state.granted[(first + u) * state.plan.units + v] === 1;
}
/**
* Whether the `k`-th target action of living unit `u` reaches somebody: opponents for those with a weapon, for healers
* team mates that are no healers.
*/
function reaches(state, first, u, k) {
	const { plan, type, x, y, health, facing } = state;
	const { sides, tables, shootRange } = plan;
	const side = u < sides[0].count ? 0 : 1;
	const i = first + u;
	const heals = tables.heals[type[i]] > 0;
	const targets = sides[heals ? side : 1 - side];
	if (k >= targets.count) return false;
	const v = targets.base + k;
	const j = first + v;
	if (health[j] <= 0) return false;
	if (heals && (v === u || tables.heals[type[j]] > 0)) return false;
	const dx = x[j] - x[i];
	const dy = y[j] - y[i];
	const range = shootRange[type[i]];
	if (dx * dx + dy * dy > range * range) return false;
	return !plan.options.cone || inCone(plan, facing[i], dx, dy);
}
/** Writes `mask` and `alive` of every agent of the listed lanes. */
function legal(state, port, lanes, count) {
	const { plan, type, x, y, health } = state;
	const { units, agents, sides, tables, terrain, options, shootRange } = plan;
	const { mask, alive, actionSize: A } = port;
	const { width, height, walkable } = terrain;
	const ahead = options.moveAmount / 2;
	const cx = width / 2;
	const cy = height / 2;
	const plain = !options.cone && options.actionMask;
	const least = options.compatibility ? -1 : -1e-12;
	for (let k = 0; k < count; k++) {
		const lane = lanes[k];
		const first = lane * units;
		for (let u = 0; u < agents; u++) {
			const i = first + u;
			const row = (lane * agents + u) * A;
			mask.fill(0, row, row + A);
			if (health[i] <= 0) {
				alive[lane * agents + u] = 0;
				mask[row + 0] = 1;
				continue;
			}
			alive[lane * agents + u] = 1;
			mask[row + 1] = 1;
			const wx = x[i] + cx;
			const wy = y[i] + cy;
			const column = Math.trunc(wx);
			const line = Math.trunc(wy);
			const north = Math.trunc(wy + ahead);
			const south = Math.trunc(wy - ahead);
			const east = Math.trunc(wx + ahead);
			const west = Math.trunc(wx - ahead);
			mask[row + 2] = north < height ? walkable[north * width + column] : 0;
			mask[row + 3] = wy - ahead > least ? walkable[south * width + column] : 0;
			mask[row + 4] = east < width ? walkable[line * width + east] : 0;
			mask[row + 5] = wx - ahead > least ? walkable[line * width + west] : 0;
			if (options.cone) for (let d = 0; d < 12; d++) mask[row + 6 + d] = 1;
			const side = u < sides[0].count ? 0 : 1;
			const to = row + sides[side].firstAttack;
			if (plain && tables.heals[type[i]] === 0) {
				const other = sides[1 - side];
				const range2 = shootRange[type[i]] * shootRange[type[i]];
				const px = x[i];
				const py = y[i];
				const base = first + other.base;
				for (let t = 0; t < other.count; t++) {
					const j = base + t;
					if (health[j] <= 0) continue;
					const dx = x[j] - px;
					const dy = y[j] - py;
					if (dx * dx + dy * dy <= range2) mask[to + t] = 1;
				}
				continue;
			}
			const targets = sides[side].actions - sides[side].firstAttack;
			for (let t = 0; t < targets; t++) if (reaches(state, first, u, t) || !options.actionMask && exists(state, first, u, t)) mask[to + t] = 1;
		}
	}
}
/** Whether the `k`-th target of `u` is alive and of the right kind, however far. */
function exists(state, first, u, k) {
	const { plan, type, health } = state;
	const { sides, tables } = plan;
	const side = u < sides[0].count ? 0 : 1;
	const heals = tables.heals[type[first + u]] > 0;
	const targets = sides[heals ? side : 1 - side];
	if (k >= targets.count) return false;
	const v = targets.base + k;
	return health[first + v] > 0 && !(heals && (v === u || tables.heals[type[first + v]] > 0));
}
/**
* EPO: the first of a side to see an opponent (in random order) is tied to it; every team mate may see it with chance
* `sharedSight`, drawn at that moment. The tie ends when either dies. Called at the start and after every step.
*/
function shareSight(state, engine, lane, random, streams) {
	const { plan, tied, granted, health, x, y } = state;
	const { units, sides, options } = plan;
	const { shuffled } = engine;
	const first = lane * units;
	const draws = (lane * streams + 3) * 4;
	for (let v = 0; v < units; v++) {
		const by = tied[first + v] - 1;
		if (by < 0 || health[first + v] > 0 && health[first + by] > 0) continue;
		tied[first + v] = 0;
		for (let u = 0; u < units; u++) granted[(first + u) * units + v] = 0;
	}
	for (let side = 0; side < 2; side++) {
		const own = sides[side];
		const other = sides[1 - side];
		for (let n = 0; n < own.count; n++) shuffled[n] = own.base + n;
		for (let n = own.count - 1; n > 0; n--) {
			const m = nextBelow(random, draws, n + 1);
			const kept = shuffled[n];
			shuffled[n] = shuffled[m];
			shuffled[m] = kept;
		}
		for (let n = 0; n < own.count; n++) {
			const u = shuffled[n];
			if (health[first + u] <= 0) continue;
			for (let v = other.base; v < other.base + other.count; v++) {
				if (tied[first + v] !== 0 || health[first + v] <= 0) continue;
				const dx = x[first + v] - x[first + u];
				const dy = y[first + v] - y[first + u];
				if (!inSight(state, first, u, v, dx * dx + dy * dy)) continue;
				tied[first + v] = u + 1;
				for (let mate = own.base; mate < own.base + own.count; mate++) {
					const may = mate === u || nextFloat(random, draws) < options.sharedSight;
					granted[(first + mate) * units + v] = may ? 1 : 0;
				}
			}
		}
	}
}
// envs/skirmish/frame.ts
const idOf = (plan, u) => u < plan.sides[0].count ? `agent_${u}` : `enemy_${u - plan.sides[0].count}`;
/** What an order says to people: 'attack enemy_3', 'move', 'stop'. */
function orderOf(state, first, u) {
	const { plan, order, aim } = state;
	const kind = order[first + u];
	const target = aim[first + u];
	if (kind === 0 || kind === 1) return ORDERS[kind];
	if (target < 0) return ORDERS[kind];
	return `${kind === 4 ? "attack" : ORDERS[kind]} ${idOf(plan, target)}`;
}
function frameOf(state, lane, step) {
	const { plan, type, x, y, health, shield, energy, cooldown, struck, facing } = state;
	const { units, sides, terrain, tables, options } = plan;
	const first = lane * units;
	const entities = [];
	const links = [];
	const events = [];
	const left = [0, 0];
	const toX = (value) => value + terrain.width / 2 - .5;
	const toY = (value) => terrain.height / 2 - value - .5;
	for (let u = 0; u < units; u++) {
		const i = first + u;
		const t = type[i];
		const alive = health[i] > 0;
		const ally = u < sides[0].count;
		if (alive) left[ally ? 0 : 1]++;
		const shownType = tables.types[t];
		entities.push({
			id: idOf(plan, u),
			kind: shownType.name,
			x: toX(x[i]),
			y: toY(y[i]),
			team: ally ? "allies" : "enemies",
			state: {
				alive,
				health: health[i],
				maxHealth: shownType.health,
				shield: shield[i],
				maxShield: shownType.shield,
				energy: energy[i],
				cooldown: Math.max(0, cooldown[i]),
				radius: shownType.radius,
				range: shownType.range,
				sight: plan.sightRange[t],
				shootRange: plan.shootRange[t],
				order: alive ? orderOf(state, first, u) : "dead",
				lookX: options.cone && ally ? LOOK_X[facing[i]] : 0,
				lookY: options.cone && ally ? -LOOK_Y[facing[i]] : 0
			}
		});
		if (struck[i] >= 0) {
			const heals = tables.heals[t] > 0;
			links.push({
				from: idOf(plan, u),
				to: idOf(plan, struck[i]),
				kind: heals ? "heal" : "attack"
			});
			const target = first + struck[i];
			if (tables.suicide[t] === 1) events.push({
				kind: "explosion",
				at: {
					x: toX(x[i]),
					y: toY(y[i])
				},
				value: tables.splashRadius[t]
			});
			else if (tables.barWidth[t] > 0) events.push({
				kind: "splash",
				at: {
					x: toX(x[target]),
					y: toY(y[target])
				},
				value: tables.barWidth[t] / 2
			});
		}
	}
	const row = lane * state.tally.length / state.lanes;
	return {
		step,
		entities,
		links,
		events,
		counters: {
			allies: left[0],
			enemies: left[1],
			damageDealt: Math.round(state.tally[row]),
			damageTaken: Math.round(state.tally[row + 1])
		}
	};
}
/** Static facts for the scene: the ground, rows from top to bottom. */
function sceneOf(plan) {
	return {
		map: plan.map,
		rules: plan.rules,
		terrain: [...plan.terrain.rows],
		units: plan.units
	};
}
// envs/skirmish/observe.ts
const MOVES = [
	"North",
	"South",
	"East",
	"West"
];
/** Places of the pathing and height options around the truncated own position [SMAC]. */
const AROUND_X = [
	0,
	0,
	4,
	-4,
	2,
	-2,
	2,
	-2
];
const AROUND_Y = [
	4,
	-4,
	0,
	0,
	2,
	-2,
	-2,
	2
];
const unit = (name, meaning) => ({
	name,
	low: 0,
	high: 1,
	meaning
});
const both = (name, meaning) => ({
	name,
	low: -1,
	high: 1,
	meaning
});
/** Names of the type bits of a side, in order. */
function bitNames(plan, side) {
	const names = new Array(plan.typeBits).fill("");
	plan.tables.types.forEach((type, t) => {
		const bit = plan.sides[side].bits[t];
		if (bit >= 0) names[bit] = type.name;
	});
	return names;
}
/** Names of the actions of an agent of one side. */
function actionNames(plan, side) {
	const { sides, options } = plan;
	const foe = side === 0 ? "enemy" : "agent";
	const mate = side === 0 ? "agent" : "enemy";
	const names = [
		"no-op",
		"stop",
		"north",
		"south",
		"east",
		"west"
	];
	if (options.cone) for (let d = 0; d < 12; d++) names.push(`look ${d * 30} degrees`);
	const targets = sides[side].actions - sides[side].firstAttack;
	const heals = plan.tables.types.some((type, t) => type.heal !== void 0 && canHave(plan, side, t));
	for (let k = 0; k < targets; k++) {
		const attack = k < sides[1 - side].count ? `attack ${foe}_${k}` : "";
		const heal = heals && k < sides[side].count ? `heal ${mate}_${k}` : "";
		names.push([attack, heal].filter(Boolean).join(" / "));
	}
	return names;
}
function canHave(plan, side, type) {
	if (plan.generated !== null) return plan.generated.types.includes(type);
	return plan.starts[side].some((start) => start.type === type);
}
/** Features of an agent of one side, in order. `agent_own` (its index within the side) is left out of the team mates. */
function observationFeatures(plan, side, own) {
	const { options, sides } = plan;
	const foe = side === 0 ? "enemy" : "agent";
	const mate = side === 0 ? "agent" : "enemy";
	const features = MOVES.map((name) => unit(`canMove${name}`, "the cell one cell that way is walkable"));
	if (options.pathingGrid) for (let p = 0; p < 8; p++) features.push(unit(`walkable(${AROUND_X[p]},${AROUND_Y[p]})`, "cells right and up; 1 outside the map"));
	if (options.terrainHeight) for (let p = 0; p < 9; p++) {
		const place = p < 8 ? `${AROUND_X[p]},${AROUND_Y[p]}` : "0,0";
		features.push(unit(`height(${place})`, "height 0 to 1 of the cell; 1 outside the map"));
	}
	const body = (id, shields, bits, first) => {
		features.push(first);
		features.push(unit(`${id}.distance`, "over the own sight range; 0 when unseen"));
		features.push(both(`${id}.dx`, "to the right, over the own sight range"));
		features.push(both(`${id}.dy`, "up, over the own sight range"));
		if (options.allHealth) {
			features.push(unit(`${id}.health`, "of its full health"));
			if (shields === 1) features.push(unit(`${id}.shield`, "of its full shield"));
		}
		for (const bit of bits) features.push(unit(`${id}.${bit}`, `is a ${bit}`));
	};
	for (let k = 0; k < sides[1 - side].count; k++) {
		const id = `${foe}_${k}`;
		const first = unit(`${id}.inReach`, "target action k is legal: attack, for a healer heal team mate k");
		body(id, sides[1 - side].shields, bitNames(plan, 1 - side), first);
	}
	const actions = actionNames(plan, side);
	for (let n = 0; n < sides[side].count; n++) {
		if (n === own) continue;
		const id = `${mate}_${n}`;
		body(id, sides[side].shields, bitNames(plan, side), unit(`${id}.visible`, "alive and in sight"));
		if (options.lastAction) actions.forEach((name, a) => features.push(unit(`${id}.did${a}`, `its last action was ${name}`)));
	}
	if (options.ownHealth) {
		features.push(unit("own.health", "of the own full health"));
		if (sides[side].shields === 1) features.push(unit("own.shield", "of the own full shield"));
	}
	if (plan.ownPosition) features.push(unit("own.x", "over the width"), unit("own.y", "from below, over the height"));
	if (options.cone) features.push(both("own.lookX", "to the right"), both("own.lookY", "up"));
	for (const bit of bitNames(plan, side)) features.push(unit(`own.${bit}`, `is a ${bit}`));
	if (options.timestep) {
		if (options.compatibility) features.push(unit("spare", "always 0, as in SMAC"));
		features.push(unit("time", "step over the horizon"));
	}
	return features;
}
/** Features of the state, in order; positions and everything else seen from the allies. */
function stateFeatures(plan) {
	const { options, sides } = plan;
	const features = [];
	if (options.observationsAsState) {
		const teams = plan.agents > sides[0].count ? 2 : 1;
		for (let side = 0; side < teams; side++) for (let n = 0; n < sides[side].count; n++) {
			const id = `${side === 0 ? "agent" : "enemy"}_${n}`;
			for (const feature of observationFeatures(plan, side, n)) features.push({
				...feature,
				name: `${id}: ${feature.name}`
			});
		}
		return features;
	}
	const half = (name, meaning) => ({
		name,
		low: -.5,
		high: .5,
		meaning
	});
	const longest = Math.max(1, ...plan.tables.types.map((_, t) => (plan.tables.cooldown[t] + 3) / plan.tables.normaliser[t]));
	for (let side = 0; side < 2; side++) for (let n = 0; n < sides[side].count; n++) {
		const id = `${side === 0 ? "agent" : "enemy"}_${n}`;
		features.push(unit(`${id}.health`, "of its full health"));
		if (side === 0) features.push({
			name: `${id}.cooldown`,
			low: 0,
			high: longest,
			meaning: "loops over its normaliser, or energy / 200"
		});
		features.push(half(`${id}.x`, "right of the centre, over the width"));
		features.push(half(`${id}.y`, "above the centre, over the height"));
		if (sides[side].shields === 1) features.push(unit(`${id}.shield`, "of its full shield"));
		if (options.cone && side === 0) features.push(both(`${id}.lookX`, "right"), both(`${id}.lookY`, "up"));
		for (const bit of bitNames(plan, side)) features.push(unit(`${id}.${bit}`, `is a ${bit}`));
	}
	if (options.stateLastAction) {
		const names = actionNames(plan, 0);
		for (let n = 0; n < sides[0].count; n++) names.forEach((name, a) => features.push(unit(`agent_${n}.did${a}`, `its last action was ${name}`)));
	}
	if (options.stateTimestep) features.push(unit("time", "step over the horizon"));
	return features;
}
/** Writes observations and states of the listed lanes. */
function observe(state, port, lanes, count) {
	const { plan } = state;
	const { seats, observation, observationSize: F, step } = port;
	const N = seats.length;
	for (let k = 0; k < count; k++) {
		const lane = lanes[k];
		const time = Math.min(1, step[lane] / plan.limit);
		for (let n = 0; n < N; n++) {
			const row = (lane * N + n) * F;
			const end = observeUnit(state, port, lane, seats[n], observation, row, time);
			observation.fill(0, end, row + F);
		}
		observeState(state, port, lane, time);
	}
}
/** Writes the observation of unit `u` at `to`; zeros when it is dead. @returns the place after it */
function observeUnit(state, port, lane, u, out, row, time) {
	const { plan, type, x, y, health, shield, lastAction } = state;
	const { units, sides, options, tables, typeBits, agents, sightRange } = plan;
	const { mask, actionSize: A } = port;
	const first = lane * units;
	const i = first + u;
	const side = u < sides[0].count ? 0 : 1;
	const own = sides[side];
	const other = sides[1 - side];
	const end = row + own.observation;
	if (health[i] <= 0) {
		out.fill(0, row, end);
		return end;
	}
	const legal = (lane * agents + u) * A;
	let at = row;
	out[at++] = mask[legal + 2];
	out[at++] = mask[legal + 3];
	out[at++] = mask[legal + 4];
	out[at++] = mask[legal + 5];
	if (options.pathingGrid || options.terrainHeight) at = observeGround(plan, x[i], y[i], out, at);
	const px = x[i];
	const py = y[i];
	const sight = sightRange[type[i]];
	const sight2 = sight * sight;
	const scale = 1 / sight;
	const shares = state.granted.length > 0;
	const cone = options.cone;
	const allHealth = options.allHealth;
	const foeShields = other.shields;
	const foeSize = 4 + (allHealth ? 1 + foeShields : 0) + typeBits;
	const reach = legal + own.firstAttack;
	const masked = options.actionMask;
	for (let k = 0; k < other.count; k++) {
		const v = other.base + k;
		const j = first + v;
		const dx = x[j] - px;
		const dy = y[j] - py;
		const d2 = dx * dx + dy * dy;
		if (!(health[j] > 0 && (cone ? inSight(state, first, u, v, d2) : d2 < sight2) && (!shares || maySee(state, first, u, v)))) {
			for (const stop = at + foeSize; at < stop; at++) out[at] = 0;
			continue;
		}
		const t = type[j];
		out[at] = masked ? mask[reach + k] : reaches(state, first, u, k) ? 1 : 0;
		out[at + 1] = Math.sqrt(d2) * scale;
		out[at + 2] = dx * scale;
		out[at + 3] = dy * scale;
		at += 4;
		if (allHealth) {
			out[at++] = health[j] / tables.health[t];
			if (foeShields === 1) out[at++] = tables.shield[t] > 0 ? shield[j] / tables.shield[t] : 0;
		}
		for (let b = 0; b < typeBits; b++) out[at + b] = 0;
		if (typeBits > 0 && other.bits[t] >= 0) out[at + other.bits[t]] = 1;
		at += typeBits;
	}
	const ownShields = own.shields;
	const actions = own.actions;
	const mateSize = 4 + (allHealth ? 1 + ownShields : 0) + typeBits + (options.lastAction ? actions : 0);
	for (let n = 0; n < own.count; n++) {
		const v = own.base + n;
		if (v === u) continue;
		const j = first + v;
		const dx = x[j] - px;
		const dy = y[j] - py;
		const d2 = dx * dx + dy * dy;
		if (health[j] <= 0 || !(cone ? inSight(state, first, u, v, d2) : d2 < sight2)) {
			for (const stop = at + mateSize; at < stop; at++) out[at] = 0;
			continue;
		}
		const t = type[j];
		out[at] = 1;
		out[at + 1] = Math.sqrt(d2) * scale;
		out[at + 2] = dx * scale;
		out[at + 3] = dy * scale;
		at += 4;
		if (allHealth) {
			out[at++] = health[j] / tables.health[t];
			if (ownShields === 1) out[at++] = tables.shield[t] > 0 ? shield[j] / tables.shield[t] : 0;
		}
		for (let b = 0; b < typeBits; b++) out[at + b] = 0;
		if (typeBits > 0 && own.bits[t] >= 0) out[at + own.bits[t]] = 1;
		at += typeBits;
		if (options.lastAction) {
			for (let a = 0; a < actions; a++) out[at + a] = 0;
			if (lastAction[j] >= 0) out[at + lastAction[j]] = 1;
			at += actions;
		}
	}
	const t = type[i];
	if (options.ownHealth) {
		out[at++] = health[i] / tables.health[t];
		if (ownShields === 1) out[at++] = tables.shield[t] > 0 ? shield[i] / tables.shield[t] : 0;
	}
	if (plan.ownPosition) {
		out[at++] = px / plan.terrain.width + .5;
		out[at++] = py / plan.terrain.height + .5;
	}
	if (cone) {
		out[at++] = LOOK_X[state.facing[i]];
		out[at++] = LOOK_Y[state.facing[i]];
	}
	for (let b = 0; b < typeBits; b++) out[at + b] = 0;
	if (typeBits > 0 && own.bits[t] >= 0) out[at + own.bits[t]] = 1;
	at += typeBits;
	if (options.timestep) {
		if (options.compatibility) out[at++] = 0;
		out[at++] = time;
	}
	return at;
}
function observeGround(plan, px, py, out, at) {
	const { options, terrain } = plan;
	const { width, height, walkable, heights } = terrain;
	const column = Math.trunc(px + width / 2);
	const row = Math.trunc(py + height / 2);
	if (options.pathingGrid) for (let p = 0; p < 8; p++) {
		const cx = column + AROUND_X[p];
		const cy = row + AROUND_Y[p];
		const inside = cx >= 0 && cy >= 0 && cx < width && cy < height;
		out[at++] = inside ? walkable[cy * width + cx] : 1;
	}
	if (options.terrainHeight) for (let p = 0; p < 9; p++) {
		const cx = column + (p < 8 ? AROUND_X[p] : 0);
		const cy = row + (p < 8 ? AROUND_Y[p] : 0);
		const inside = cx >= 0 && cy >= 0 && cx < width && cy < height;
		out[at++] = inside ? heights[cy * width + cx] : 1;
	}
	return at;
}
/** Energy that a full bar of the state stands for [SMAC]. */
const ENERGY_SCALE = 200;
function observeState(state, port, lane, time) {
	const { plan, type, x, y, health, shield, energy, cooldown, lastAction } = state;
	const { units, sides, options, tables, typeBits, terrain } = plan;
	const { state: out, stateSize } = port;
	const first = lane * units;
	let at = lane * stateSize;
	if (options.observationsAsState) {
		for (let u = 0; u < plan.agents; u++) at = observeUnit(state, port, lane, u, out, at, time);
		return;
	}
	const scaleX = 1 / terrain.width;
	const scaleY = 1 / terrain.height;
	for (let side = 0; side < 2; side++) {
		const { base, count, shields, bits } = sides[side];
		const allied = side === 0;
		const looks = options.cone && allied;
		const size = 3 + (allied ? 1 : 0) + shields + (looks ? 2 : 0) + typeBits;
		for (let u = base; u < base + count; u++) {
			const i = first + u;
			if (health[i] <= 0) {
				for (const stop = at + size; at < stop; at++) out[at] = 0;
				continue;
			}
			const t = type[i];
			out[at++] = health[i] / tables.health[t];
			if (allied) out[at++] = tables.energyMax[t] > 0 ? energy[i] / ENERGY_SCALE : Math.max(0, cooldown[i]) / tables.normaliser[t];
			out[at++] = x[i] * scaleX;
			out[at++] = y[i] * scaleY;
			if (shields === 1) out[at++] = tables.shield[t] > 0 ? shield[i] / tables.shield[t] : 0;
			if (looks) {
				out[at++] = LOOK_X[state.facing[i]];
				out[at++] = LOOK_Y[state.facing[i]];
			}
			for (let b = 0; b < typeBits; b++) out[at + b] = 0;
			if (typeBits > 0 && bits[t] >= 0) out[at + bits[t]] = 1;
			at += typeBits;
		}
	}
	if (options.stateLastAction) {
		const { count, actions } = sides[0];
		for (let u = 0; u < count; u++) {
			for (let a = 0; a < actions; a++) out[at + a] = 0;
			if (lastAction[first + u] >= 0) out[at + lastAction[first + u]] = 1;
			at += actions;
		}
	}
	if (options.stateTimestep) out[at++] = time;
}
// envs/skirmish/avoidance.ts
/**
* Walking in the `smaclite` rule set: optimal reciprocal collision avoidance (van den Berg, Guy, Lin, Manocha 2011,
* "Reciprocal n-body collision avoidance", with the linear programs of their RVO2 library), as that program uses it:
* horizon one second, only neighbours nearer than the own radius plus the largest one, those who stand are walls.
* Differences: walls of the terrain are slid along instead of being half planes.
*/
const EPSILON = 1e-5;
/** Moves every walking unit of a lane by one loop. */
function avoidAndMove(state, engine, lane) {
	const { plan, type, x, y, vx, vy, health } = state;
	const { tables, terrain, units } = plan;
	const { live, living, mode, wx, wy, lines, result, goal } = engine;
	const first = lane * units;
	let largest = 0;
	for (let u = 0; u < units; u++) largest = Math.max(largest, tables.radius[type[first + u]]);
	for (let a = 0; a < living; a++) {
		const u = live[a];
		const i = first + u;
		if (mode[u] !== 1) {
			engine.vx[u] = engine.vy[u] = 0;
			continue;
		}
		const own = tables.radius[type[i]];
		const layer = tables.layer[type[i]];
		const near = (own + largest) * (own + largest);
		let count = 0;
		for (let b = 0; b < living; b++) {
			const o = live[b];
			const j = first + o;
			if (o === u || (tables.layer[type[j]] & layer) === 0) continue;
			const px = x[j] - x[i];
			const py = y[j] - y[i];
			if (px * px + py * py >= near) continue;
			halfPlane(state, engine, count++, i, j, mode[o] === 1);
		}
		const wantX = wx[u] * 16;
		const wantY = wy[u] * 16;
		const speed = Math.sqrt(wantX * wantX + wantY * wantY);
		const limit = Math.max(speed, tables.speed[(u < plan.sides[0].count ? 0 : 1) * tables.types.length + type[i]] * 16);
		goal[0] = wantX;
		goal[1] = wantY;
		goal[2] = limit;
		const failed = program2(lines, count, goal, false, result);
		if (failed < count) program3(engine, count, failed);
		engine.vx[u] = result[0];
		engine.vy[u] = result[1];
	}
	const boundX = terrain.width / 2 - EDGE;
	const boundY = terrain.height / 2 - EDGE;
	for (let a = 0; a < living; a++) {
		const u = live[a];
		const i = first + u;
		vx[i] = engine.vx[u];
		vy[i] = engine.vy[u];
		if (health[i] <= 0 || vx[i] === 0 && vy[i] === 0) continue;
		const dx = vx[i] / 16;
		const dy = vy[i] / 16;
		let nx = Math.max(-boundX, Math.min(boundX, x[i] + dx));
		let ny = Math.max(-boundY, Math.min(boundY, y[i] + dy));
		if (tables.flies[type[i]] === 0) {
			const r = tables.radius[type[i]];
			const cells = terrain.walkable;
			const sideX = dx > 0 ? r : dx < 0 ? -r : 0;
			const sideY = dy > 0 ? r : dy < 0 ? -r : 0;
			if (wallAt(terrain, nx + sideX, y[i]) && !wallAt(terrain, x[i] + sideX, y[i])) nx = x[i];
			if (wallAt(terrain, nx, ny + sideY) && !wallAt(terrain, nx, y[i] + sideY)) ny = y[i];
			if (!standsOn(terrain, cells, nx, ny)) {
				nx = x[i];
				ny = y[i];
			}
		}
		x[i] = nx;
		y[i] = ny;
	}
}
/** Writes half plane `at` that keeps unit `i` clear of `j`; movers take half of the avoidance each. */
function halfPlane(state, engine, at, i, j, moving) {
	const { x, y, type, plan } = state;
	const { radius } = plan.tables;
	const { lines } = engine;
	const vx = state.vx[i];
	const vy = state.vy[i];
	const rx = moving ? vx - state.vx[j] : vx;
	const ry = moving ? vy - state.vy[j] : vy;
	const px = x[j] - x[i];
	const py = y[j] - y[i];
	const d2 = px * px + py * py;
	const apart = radius[type[i]] + radius[type[j]];
	const share = moving ? .5 : 1;
	const apart2 = apart * apart;
	let dx;
	let dy;
	let ux;
	let uy;
	if (d2 > apart2) {
		const wx = rx - px;
		const wy = ry - py;
		const w2 = wx * wx + wy * wy;
		const dot = wx * px + wy * py;
		if (dot < 0 && dot * dot > apart2 * w2) {
			const w = Math.sqrt(w2);
			dx = wy / w;
			dy = -wx / w;
			ux = (apart - w) * (wx / w);
			uy = (apart - w) * (wy / w);
		} else {
			const leg = Math.sqrt(d2 - apart2);
			if (px * wy - py * wx > 0) {
				dx = (px * leg - py * apart) / d2;
				dy = (px * apart + py * leg) / d2;
			} else {
				dx = -(px * leg + py * apart) / d2;
				dy = -(-px * apart + py * leg) / d2;
			}
			const along = rx * dx + ry * dy;
			ux = along * dx - rx;
			uy = along * dy - ry;
		}
	} else {
		const wx = rx - px * 16;
		const wy = ry - py * 16;
		const w = Math.sqrt(wx * wx + wy * wy);
		const ex = w > 0 ? wx / w : 1;
		const ey = w > 0 ? wy / w : 0;
		dx = ey;
		dy = -ex;
		ux = (apart * 16 - w) * ex;
		uy = (apart * 16 - w) * ey;
	}
	lines[at * 4] = vx + share * ux;
	lines[at * 4 + 1] = vy + share * uy;
	lines[at * 4 + 2] = dx;
	lines[at * 4 + 3] = dy;
}
/** Best velocity on line `n` within the disc and the lines before it. @returns false when there is none */
function program1(lines, n, goal, direction, result) {
	const wantX = goal[0];
	const wantY = goal[1];
	const radius = goal[2];
	const px = lines[n * 4];
	const py = lines[n * 4 + 1];
	const dx = lines[n * 4 + 2];
	const dy = lines[n * 4 + 3];
	const dot = px * dx + py * dy;
	const discriminant = dot * dot + radius * radius - (px * px + py * py);
	if (discriminant < 0) return false;
	const root = Math.sqrt(discriminant);
	let left = -dot - root;
	let right = -dot + root;
	for (let i = 0; i < n; i++) {
		const ox = lines[i * 4 + 2];
		const oy = lines[i * 4 + 3];
		const denominator = dx * oy - dy * ox;
		const numerator = ox * (py - lines[i * 4 + 1]) - oy * (px - lines[i * 4]);
		if (Math.abs(denominator) <= EPSILON) {
			if (numerator < 0) return false;
			continue;
		}
		const t = numerator / denominator;
		if (denominator >= 0) {
			if (t < right) right = t;
		} else if (t > left) left = t;
		if (left > right) return false;
	}
	let t;
	if (direction) t = wantX * dx + wantY * dy > 0 ? right : left;
	else {
		t = dx * (wantX - px) + dy * (wantY - py);
		if (t < left) t = left;
		else if (t > right) t = right;
	}
	result[0] = px + t * dx;
	result[1] = py + t * dy;
	return true;
}
/** `goal`: wanted velocity (or direction) x and y, greatest speed. Velocity nearest to the wanted one within the disc and all lines. @returns the line that failed, `count` if none */
function program2(lines, count, goal, direction, result) {
	const wantX = goal[0];
	const wantY = goal[1];
	const radius = goal[2];
	const want = wantX * wantX + wantY * wantY;
	if (direction) {
		result[0] = wantX * radius;
		result[1] = wantY * radius;
	} else if (want > radius * radius) {
		const scale = radius / Math.sqrt(want);
		result[0] = wantX * scale;
		result[1] = wantY * scale;
	} else {
		result[0] = wantX;
		result[1] = wantY;
	}
	for (let i = 0; i < count; i++) {
		if (lines[i * 4 + 2] * (lines[i * 4 + 1] - result[1]) - lines[i * 4 + 3] * (lines[i * 4] - result[0]) <= 0) continue;
		const keptX = result[0];
		const keptY = result[1];
		if (!program1(lines, i, goal, direction, result)) {
			result[0] = keptX;
			result[1] = keptY;
			return i;
		}
	}
	return count;
}
/** No velocity suits all lines: the one that is least wrong. */
function program3(engine, count, begin) {
	const { lines, projected, result, goal } = engine;
	let distance = 0;
	for (let i = begin; i < count; i++) {
		const px = lines[i * 4];
		const py = lines[i * 4 + 1];
		const dx = lines[i * 4 + 2];
		const dy = lines[i * 4 + 3];
		if (dx * (py - result[1]) - dy * (px - result[0]) <= distance) continue;
		let made = 0;
		for (let j = 0; j < i; j++) {
			const ox = lines[j * 4 + 2];
			const oy = lines[j * 4 + 3];
			const determinant = dx * oy - dy * ox;
			let qx;
			let qy;
			if (Math.abs(determinant) <= EPSILON) {
				if (dx * ox + dy * oy > 0) continue;
				qx = .5 * (px + lines[j * 4]);
				qy = .5 * (py + lines[j * 4 + 1]);
			} else {
				const t = (ox * (py - lines[j * 4 + 1]) - oy * (px - lines[j * 4])) / determinant;
				qx = px + t * dx;
				qy = py + t * dy;
			}
			const ex = ox - dx;
			const ey = oy - dy;
			const length = Math.sqrt(ex * ex + ey * ey);
			if (length === 0) continue;
			projected[made * 4] = qx;
			projected[made * 4 + 1] = qy;
			projected[made * 4 + 2] = ex / length;
			projected[made * 4 + 3] = ey / length;
			made++;
		}
		const keptX = result[0];
		const keptY = result[1];
		goal[0] = -dy;
		goal[1] = dx;
		if (program2(projected, made, goal, true, result) < made) {
			result[0] = keptX;
			result[1] = keptY;
		}
		distance = dx * (py - result[1]) - dy * (px - result[0]);
	}
}
// envs/skirmish/combat.ts
/** Weapons, shields, splash, healing and regeneration of one loop. */
/** Damage of a hit that armour takes away almost wholly. */
const LEAST_DAMAGE = .5;
/** One hit on unit `j` (index into the arrays) by unit `by`: shield first, then armour once, then health. */
function hurt(state, by, j, damage) {
	const { health, shield, quiet, dealt, taken, plan } = state;
	if (health[j] <= 0) return;
	const before = health[j] + shield[j];
	let left = damage;
	if (shield[j] > 0) {
		if (left <= shield[j]) {
			shield[j] -= left;
			left = 0;
		} else {
			left -= shield[j];
			shield[j] = 0;
		}
	}
	if (left > 0) {
		left -= plan.tables.armor[state.type[j]];
		if (left < LEAST_DAMAGE) left = LEAST_DAMAGE;
		health[j] = left >= health[j] ? 0 : health[j] - left;
	}
	quiet[j] = 0;
	const loss = before - health[j] - shield[j];
	dealt[by] += loss;
	taken[j] += loss;
}
/** All hits of one attack of unit `i` on unit `j`, splash included. */
function strike(state, engine, first, i, j) {
	const { type, x, y, plan } = state;
	const { tables, units, sides } = plan;
	const T = tables.types.length;
	const t = type[i];
	if (tables.suicide[t] === 1) {
		state.health[i] = 0;
		state.shield[i] = 0;
		explode(state, engine, first, i);
		return;
	}
	const row = t * T;
	const attacks = tables.attacks[t];
	for (let a = 0; a < attacks; a++) hurt(state, i, j, tables.hit[row + type[j]]);
	const width = tables.barWidth[t];
	if (width === 0) return;
	const dx = x[j] - x[i];
	const dy = y[j] - y[i];
	const length = Math.sqrt(dx * dx + dy * dy);
	const ux = length > 0 ? dx / length : 1;
	const uy = length > 0 ? dy / length : 0;
	const side = i - first < sides[0].count ? 1 : 0;
	const from = first + sides[side].base;
	const to = from + sides[side].count;
	const depth = tables.barDepth[t] / 2;
	const half = width / 2;
	const reach = plan.rules === "smaclite" ? depth * depth + half * half : Infinity;
	for (let k = from; k < to; k++) {
		if (k === j || state.health[k] <= 0 || tables.hit[row + type[k]] === 0) continue;
		const ex = x[k] - x[j];
		const ey = y[k] - y[j];
		if (ex * ex + ey * ey > reach) continue;
		let along = Math.abs(ex * ux + ey * uy) - depth;
		let across = Math.abs(ey * ux - ex * uy) - half;
		if (along < 0) along = 0;
		if (across < 0) across = 0;
		const r = tables.radius[type[k]];
		if (along * along + across * across > r * r) continue;
		for (let a = 0; a < attacks; a++) hurt(state, i, k, tables.hit[row + type[k]]);
	}
}
/** Full damage to every opponent whose edge is within the splash radius of `i`'s centre. */
function explode(state, engine, first, i) {
	const { type, x, y, plan } = state;
	const { tables, sides } = plan;
	const T = tables.types.length;
	const t = type[i];
	const side = i - first < sides[0].count ? 1 : 0;
	const from = first + sides[side].base;
	const to = from + sides[side].count;
	const radius = tables.splashRadius[t];
	engine.exploded[i - first] = 1;
	for (let k = from; k < to; k++) {
		if (state.health[k] <= 0) continue;
		const damage = tables.hit[t * T + type[k]];
		if (damage === 0) continue;
		const dx = x[k] - x[i];
		const dy = y[k] - y[i];
		const reach = radius + tables.radius[type[k]];
		if (dx * dx + dy * dy <= reach * reach) hurt(state, i, k, damage);
	}
}
/** Units that explode when killed do so, and so do those that this kills. */
function explodeTheKilled(state, engine, first) {
	const { live, exploded } = engine;
	const { tables } = state.plan;
	let again = true;
	while (again) {
		again = false;
		for (let a = 0; a < engine.living; a++) {
			const i = first + live[a];
			if (state.health[i] > 0 || exploded[live[a]] === 1 || tables.explodes[state.type[i]] === 0) continue;
			explode(state, engine, first, i);
			again = true;
		}
	}
}
/** Up to one loop's healing of `j` by `i`, paid in whole energy points. */
function heal(state, first, i, j, lane) {
	const { health, energy, credit, type, plan } = state;
	const { tables } = plan;
	const t = type[i];
	if (health[j] <= 0) return;
	const missing = tables.health[type[j]] - health[j];
	if (missing <= 0) return;
	let amount = Math.min(tables.heals[t], missing);
	while (credit[i] < amount && energy[i] >= 1) {
		energy[i] -= 1;
		credit[i] += tables.perEnergy[t];
	}
	if (credit[i] < amount) amount = credit[i];
	credit[i] -= amount;
	health[j] += amount;
	if (i - first < plan.sides[0].count) state.tally[lane * 8 + 5] += amount;
}
/** Regeneration and the running down of the weapon of one unit. @returns whether the weapon is ready */
function recover(state, i) {
	const { type, health, shield, energy, quiet, cooldown, plan } = state;
	const { tables } = plan;
	const t = type[i];
	if (tables.healthRegen[t] > 0 && health[i] < tables.health[t]) health[i] = Math.min(tables.health[t], health[i] + tables.healthRegen[t]);
	if (tables.shieldRegen[t] > 0) {
		if (quiet[i] < tables.shieldDelay[t]) quiet[i]++;
		if (quiet[i] >= tables.shieldDelay[t] && shield[i] < tables.shield[t]) shield[i] = Math.min(tables.shield[t], shield[i] + tables.shieldRegen[t]);
	}
	if (tables.energyMax[t] > 0 && energy[i] < tables.energyMax[t]) energy[i] = Math.min(tables.energyMax[t], energy[i] + tables.energyRegen[t]);
	if (cooldown[i] > 0) cooldown[i]--;
	return cooldown[i] <= 0;
}
/** Starts the cooldown after an attack; what was left over of the loop is carried. */
function reload(state, i, jitter, random, draws) {
	const { tables, rules } = state.plan;
	const base = tables.cooldown[state.type[i]];
	if (rules === "smaclite") {
		state.cooldown[i] = Math.ceil(base);
		return;
	}
	state.cooldown[i] += base;
	if (jitter) state.cooldown[i] += 3 * nextFloat(random, draws) - 1;
}
/**
* The fighting of one loop. `engine.fire` and `engine.mend` hold whom each living unit shoots or heals.
* Together: everybody recovers, everybody who is ready shoots, then the wounds and then the healing are counted.
* In random order (smaclite with jitter): unit by unit, the dead do not shoot.
*/
function fight(state, engine, lane, random, streams) {
	const { plan, health, cooldown, struck } = state;
	const { fire, mend, live, ready } = engine;
	const { jitter } = plan.options;
	const first = lane * plan.units;
	const draws = (lane * streams + 2) * 4;
	const living = engine.living;
	if (plan.rules === "smaclite" && jitter) {
		const { shuffled } = engine;
		for (let a = 0; a < living; a++) shuffled[a] = live[a];
		for (let a = living - 1; a > 0; a--) {
			const b = nextBelow(random, draws, a + 1);
			const kept = shuffled[a];
			shuffled[a] = shuffled[b];
			shuffled[b] = kept;
		}
		for (let a = 0; a < living; a++) {
			const u = shuffled[a];
			const i = first + u;
			if (health[i] <= 0) continue;
			const isReady = recover(state, i);
			if (mend[u] >= 0) {
				struck[i] = mend[u];
				heal(state, first, i, first + mend[u], lane);
			} else if (fire[u] >= 0 && isReady && health[first + fire[u]] > 0) {
				struck[i] = fire[u];
				strike(state, engine, first, i, first + fire[u]);
				reload(state, i, jitter, random, draws);
			}
		}
		explodeTheKilled(state, engine, first);
		return;
	}
	let shots = 0;
	let mends = 0;
	for (let a = 0; a < living; a++) {
		const u = live[a];
		const isReady = recover(state, first + u);
		ready[u] = isReady && fire[u] >= 0 ? 1 : 0;
		shots += ready[u];
		if (mend[u] >= 0) mends++;
		if (isReady && ready[u] === 0) cooldown[first + u] = 0;
	}
	if (shots > 0) {
		for (let a = 0; a < living; a++) {
			const u = live[a];
			if (ready[u] === 0) continue;
			const i = first + u;
			struck[i] = fire[u];
			reload(state, i, jitter, random, draws);
			strike(state, engine, first, i, first + fire[u]);
		}
		explodeTheKilled(state, engine, first);
	}
	if (mends > 0) for (let a = 0; a < living; a++) {
		const u = live[a];
		if (mend[u] < 0 || health[first + u] <= 0) continue;
		struck[first + u] = mend[u];
		heal(state, first, first + u, first + mend[u], lane);
	}
}
/** Whether a healer may take up healing somebody new. */
function mayHeal(state, i, aim) {
	const { plan, energy, type, order } = state;
	if (state.aim[i] === aim && order[i] !== 0) return true;
	return energy[i] >= plan.tables.energyToStart[type[i]];
}
// envs/skirmish/orders.ts
/** From orders to what each unit does in this loop: whom it shoots or heals, or where it walks. */
/** A scripted unit looks around every this many loops (sc2). */
const LOOK_EVERY = 4;
/** Added to the range within which an attack-moving unit notices targets (sc2). */
const NOTICE = .5;
/** Fills `mode`, `fire`, `mend`, `wx` and `wy` for every living unit. @param loop of the step */
function decide(state, engine, lane, tick, loop) {
	const { plan, x, y, vx, type, health, order, aim, px, py } = state;
	const { tables, sides, units, rules } = plan;
	const { live, living, mode, fire, mend, wx, wy, scripted } = engine;
	const T = tables.types.length;
	const first = lane * units;
	const allies = sides[0].count;
	let walkers = 0;
	for (let a = 0; a < living; a++) {
		const u = live[a];
		const i = first + u;
		const t = type[i];
		fire[u] = mend[u] = -1;
		mode[u] = 0;
		wx[u] = wy[u] = 0;
		let pace = tables.speed[(u < allies ? 0 : T) + t];
		let target = -1;
		let healing = false;
		let gx = 0;
		let gy = 0;
		const kind = order[i];
		if (kind === 0) {
			if (tables.acceleration[t] > 0) vx[i] = 0;
			continue;
		}
		if (kind === 1) {
			gx = px[i];
			gy = py[i];
		} else if (kind === 2 || kind === 3) {
			target = aim[i];
			if (health[first + target] <= 0) {
				order[i] = 0;
				aim[i] = -1;
				continue;
			}
			healing = kind === 3;
		} else if (scripted[u] === 1) {
			gx = px[i];
			gy = py[i];
			if (tables.heals[t] > 0) {
				target = chooseHurt(state, engine, first, u);
				healing = target >= 0;
				if (target < 0) {
					if (kind === 5) {
						const closest = chooseClosest(state, first, u, false);
						if (closest >= 0) {
							gx = x[first + closest];
							gy = y[first + closest];
						}
					}
					pace = Math.min(pace, slowestNear(state, engine, first, u));
				}
			} else if (kind === 5) {
				if (aim[i] < 0 || health[first + aim[i]] <= 0) {
					if (aim[i] < 0 || loop === 0) aim[i] = chooseClosest(state, first, u, true);
					else aim[i] = -1;
				}
				target = aim[i];
				if (target < 0) continue;
			} else {
				target = rules === "smaclite" ? acquireLite(state, engine, first, u) : acquire(state, first, u, tick);
				aim[i] = target;
			}
			if (target < 0 && kind === 6) continue;
		}
		if (target >= 0) {
			const j = first + target;
			gx = x[j];
			gy = y[j];
			const dx = gx - x[i];
			const dy = gy - y[i];
			const reach = tables.range[t] + tables.radius[t] + tables.radius[type[j]];
			if (dx * dx + dy * dy <= reach * reach) {
				mode[u] = 2;
				if (tables.acceleration[t] > 0) vx[i] = 0;
				if (healing) mend[u] = target;
				else if (tables.hit[t * T + type[j]] > 0) fire[u] = target;
				continue;
			}
			if (kind === 6) continue;
		}
		if (pace === 0) continue;
		if (tables.acceleration[t] > 0) {
			pace = Math.min(pace, vx[i] + tables.acceleration[t]);
			vx[i] = pace;
		}
		let direct = true;
		if (target >= 0 || scripted[u] === 1) {
			const { terrain } = plan;
			if (!terrain.open && tables.flies[t] === 0 && tables.strides[t] === 0) {
				const from = cellOf(terrain, x[i], y[i]);
				const to = cellOf(terrain, gx, gy);
				if (from !== to) {
					const stop = wayTo(terrain, to)[from];
					if (stop !== to) {
						direct = false;
						gx = stop % terrain.width + .5 - terrain.width / 2;
						gy = Math.floor(stop / terrain.width) + .5 - terrain.height / 2;
					}
				}
			}
		}
		const dx = gx - x[i];
		const dy = gy - y[i];
		const d = Math.sqrt(dx * dx + dy * dy);
		if (d < 1e-9) continue;
		if (target < 0 && direct && scripted[u] === 1 && d < Math.max(pace, plan.arrival[u < allies ? 0 : 1])) continue;
		const step = rules === "sc2" && d < pace ? d : pace;
		wx[u] = dx / d * step;
		wy[u] = dy / d * step;
		mode[u] = 1;
		walkers++;
	}
	return walkers;
}
/** The closest living opponent; with `hittable` only those the weapon can hit, if there are any. */
function chooseClosest(state, first, u, hittable) {
	const { plan, x, y, type, health } = state;
	const { tables, sides } = plan;
	const T = tables.types.length;
	const i = first + u;
	const other = sides[u < sides[0].count ? 1 : 0];
	let best = -1;
	let bestAt = Infinity;
	for (let k = other.base; k < other.base + other.count; k++) {
		const j = first + k;
		if (health[j] <= 0 || hittable && tables.hit[type[i] * T + type[j]] === 0) continue;
		const dx = x[j] - x[i];
		const dy = y[j] - y[i];
		const d2 = dx * dx + dy * dy;
		if (d2 < bestAt) {
			bestAt = d2;
			best = k;
		}
	}
	return best;
}
/**
* Target of an attack-moving unit (sc2): kept until it dies or leaves weapon range, then the closest of those that can
* hurt it, else the closest, within the larger of scan and weapon range plus a half, edge to edge.
*/
function acquire(state, first, u, tick) {
	const { plan, x, y, type, health, aim } = state;
	const { tables, sides } = plan;
	const T = tables.types.length;
	const i = first + u;
	const t = type[i];
	const own = tables.radius[t];
	const side = u < sides[0].count ? 0 : 1;
	let kept = aim[i];
	if (kept >= 0 && health[first + kept] <= 0) kept = -1;
	else if (kept >= 0) {
		const j = first + kept;
		const dx = x[j] - x[i];
		const dy = y[j] - y[i];
		const reach = tables.range[t] + own + tables.radius[type[j]];
		if (dx * dx + dy * dy <= reach * reach) return kept;
	}
	if (!(aim[i] >= 0 && kept < 0) && (tick + u - sides[side].base) % LOOK_EVERY !== 0) return kept;
	const other = sides[1 - side];
	const notice = Math.max(tables.scan[t], tables.range[t]) + NOTICE + own;
	let best = -1;
	let bestAt = Infinity;
	let bestThreat = 0;
	for (let k = other.base; k < other.base + other.count; k++) {
		const j = first + k;
		if (health[j] <= 0) continue;
		const o = type[j];
		const dx = x[j] - x[i];
		const dy = y[j] - y[i];
		const d2 = dx * dx + dy * dy;
		const reach = notice + tables.radius[o];
		if (d2 > reach * reach || tables.hit[t * T + o] === 0) continue;
		const threat = tables.hit[o * T + t] > 0 ? 1 : 0;
		if (threat < bestThreat || threat === bestThreat && d2 >= bestAt) continue;
		best = k;
		bestAt = d2;
		bestThreat = threat;
	}
	return best;
}
/**
* Target of a scripted unit (smaclite): dropped when dead, or out of weapon range and not attacking this unit. Searched
* among opponents within the scan range plus their radius and all that attack it; healers first, then the closest.
* While the other side has a healer, a target that is none is chosen anew every loop.
*/
function acquireLite(state, engine, first, u) {
	const { plan, x, y, type, health, aim, order } = state;
	const { tables, sides } = plan;
	const { live, living } = engine;
	const T = tables.types.length;
	const i = first + u;
	const t = type[i];
	const other = sides[u < sides[0].count ? 1 : 0];
	let healers = false;
	for (let k = other.base; k < other.base + other.count && !healers; k++) healers = health[first + k] > 0 && tables.heals[type[first + k]] > 0;
	let kept = aim[i];
	if (kept >= 0) {
		const j = first + kept;
		if (health[j] <= 0) kept = -1;
		else {
			const dx = x[j] - x[i];
			const dy = y[j] - y[i];
			const reach = tables.range[t] + tables.radius[t] + tables.radius[type[j]];
			if (dx * dx + dy * dy > reach * reach && !(order[j] === 2 && aim[j] === u)) kept = -1;
		}
	}
	if (kept >= 0 && (!healers || tables.heals[type[first + kept]] > 0)) return kept;
	let best = -1;
	let bestAt = Infinity;
	let bestHeals = false;
	for (let k = other.base; k < other.base + other.count; k++) {
		const j = first + k;
		if (health[j] <= 0 || tables.hit[t * T + type[j]] === 0) continue;
		const dx = x[j] - x[i];
		const dy = y[j] - y[i];
		const d2 = dx * dx + dy * dy;
		const reach = tables.scan[t] + tables.radius[type[j]];
		if (d2 >= reach * reach && !(order[j] === 2 && aim[j] === u)) continue;
		const heals = tables.heals[type[j]] > 0;
		if (bestHeals && !heals) continue;
		if (heals === bestHeals && d2 >= bestAt) continue;
		best = k;
		bestAt = d2;
		bestHeals = heals;
	}
	return best;
}
/** For a scripted healer: the team mate in scan range with the least health that is hurt or fighting; -1 none. */
function chooseHurt(state, engine, first, u) {
	const { plan, x, y, type, health, aim, energy } = state;
	const { tables, sides } = plan;
	const i = first + u;
	const side = sides[u < sides[0].count ? 0 : 1];
	if (energy[i] + state.credit[i] < 1) return -1;
	let best = -1;
	let least = Infinity;
	for (let k = side.base; k < side.base + side.count; k++) {
		const j = first + k;
		if (k === u || health[j] <= 0 || tables.healable[type[j]] === 0) continue;
		if (health[j] >= tables.health[type[j]] && (plan.rules === "sc2" || aim[j] < 0)) continue;
		const dx = x[j] - x[i];
		const dy = y[j] - y[i];
		const reach = tables.scan[type[i]] + tables.radius[type[j]];
		if (dx * dx + dy * dy >= reach * reach || health[j] >= least) continue;
		best = k;
		least = health[j];
	}
	if (best < 0) return -1;
	if (best !== aim[i] && energy[i] < tables.energyToStart[type[i]]) return -1;
	aim[i] = best;
	return best;
}
/** Pace of the slowest team mate in scan range, so that a healer does not run ahead. */
function slowestNear(state, engine, first, u) {
	const { plan, x, y, type } = state;
	const { tables, sides } = plan;
	const T = tables.types.length;
	const i = first + u;
	const ally = u < sides[0].count;
	let slowest = Infinity;
	for (let a = 0; a < engine.living; a++) {
		const k = engine.live[a];
		const j = first + k;
		if (k === u || k < sides[0].count !== ally || tables.heals[type[j]] > 0) continue;
		const dx = x[j] - x[i];
		const dy = y[j] - y[i];
		const reach = tables.scan[type[i]] + tables.radius[type[j]];
		const pace = tables.speed[(ally ? 0 : T) + type[j]];
		if (pace > 0 && dx * dx + dy * dy < reach * reach && pace < slowest) slowest = pace;
	}
	return slowest;
}
// envs/skirmish/pushing.ts
/**
* Walking in the `sc2` rule set: discs that slide around who holds its place, push idle team mates aside and never
* overlap by more than OVERLAP. All bodies move together; pushes are whole numbers, so that no order of adding matters
* and a mirrored battle stays mirrored to the last bit.
*/
/** Deepest overlap that a loop may create, in cells; the promise is a tenth. */
const OVERLAP = .08;
/** Pairs farther apart than their radii and this are not looked at until somebody has travelled half of it. */
const SKIN = 1.1;
/** Farthest push of one loop, in cells. */
const LONGEST_PUSH = .1;
/** A walker that moved less than this in the last loop is in the way of others, in cells. */
const STUCK = .03;
const SCALE = 1048576;
/** Up to this many units all pairs are tried; above, the grid collects them. */
const FEW = 32;
/** Moves every unit of a lane by one loop. @param walkers how many want to walk */
function pushAndMove(state, engine, lane, walkers) {
	if (walkers === 0 && !engine.restless) return;
	const { plan, type, x, y, vy: stride } = state;
	const { tables, terrain, units, sides } = plan;
	const { live, living, mode, wx, wy, nx, ny, ax, ay, blocker, blockedAt, pairA, pairB, pairApart, close } = engine;
	const { flies, strides } = tables;
	const first = lane * units;
	const allies = sides[0].count;
	const reach = engine.travelled + LONGEST_PUSH + (walkers > 0 ? engine.fastest : 0);
	if (engine.travelled < 0 || reach * 2 > SKIN) collectPairs(state, engine, first);
	const { pairs } = engine;
	for (let a = 0; a < living; a++) {
		const u = live[a];
		blocker[u] = -1;
		blockedAt[u] = Infinity;
		ax[u] = ay[u] = 0;
	}
	for (let p = 0; p < pairs; p++) {
		const u = pairA[p];
		const v = pairB[p];
		const walksU = mode[u] === 1;
		const walksV = mode[v] === 1;
		if (!walksU && !walksV) continue;
		const friends = u < allies === v < allies;
		const holdsU = walksU ? stride[first + u] < STUCK : !friends || mode[u] === 2;
		const holdsV = walksV ? stride[first + v] < STUCK : !friends || mode[v] === 2;
		if (!(walksU && holdsV) && !(walksV && holdsU)) continue;
		const apart = pairApart[p];
		const dx = x[first + v] - x[first + u];
		const dy = y[first + v] - y[first + u];
		if (walksU && holdsV) {
			const ex = dx - wx[u];
			const ey = dy - wy[u];
			const d2 = ex * ex + ey * ey;
			if (d2 < apart * apart && (d2 < blockedAt[u] || d2 === blockedAt[u] && v < blocker[u])) {
				blockedAt[u] = d2;
				blocker[u] = v;
			}
		}
		if (walksV && holdsU) {
			const ex = dx + wx[v];
			const ey = dy + wy[v];
			const d2 = ex * ex + ey * ey;
			if (d2 < apart * apart && (d2 < blockedAt[v] || d2 === blockedAt[v] && u < blocker[v])) {
				blockedAt[v] = d2;
				blocker[v] = u;
			}
		}
	}
	const boundX = terrain.width / 2 - EDGE;
	const boundY = terrain.height / 2 - EDGE;
	const halfWidth = terrain.width / 2;
	const halfHeight = terrain.height / 2;
	const across = terrain.width;
	for (let a = 0; a < living; a++) {
		const u = live[a];
		const i = first + u;
		let dx = wx[u];
		let dy = wy[u];
		if (blocker[u] >= 0) {
			const ex = x[first + blocker[u]] - x[i];
			const ey = y[first + blocker[u]] - y[i];
			const e2 = ex * ex + ey * ey;
			const into = dx * ex + dy * ey;
			if (into > 0 && e2 > 0) {
				const pace = Math.sqrt(dx * dx + dy * dy);
				let tx = dx - into / e2 * ex;
				let ty = dy - into / e2 * ey;
				let t = Math.sqrt(tx * tx + ty * ty);
				if (t < .05 * pace) {
					const e = Math.sqrt(e2);
					const sign = ex === 0 ? (x[i] > 0 ? -1 : 1) * (ey > 0 ? -1 : 1) : ex > 0 ? 1 : -1;
					tx = -ey / e * sign;
					ty = ex / e * sign;
					t = 1;
				}
				dx = tx / t * pace;
				dy = ty / t * pace;
			}
		}
		let px = x[i] + dx;
		let py = y[i] + dy;
		if (px > boundX) px = boundX;
		else if (px < -boundX) px = -boundX;
		if (py > boundY) py = boundY;
		else if (py < -boundY) py = -boundY;
		if (flies[type[i]] === 0) {
			const cells = strides[type[i]] === 1 ? terrain.strideable : terrain.walkable;
			const row = Math.floor(y[i] + halfHeight) * across;
			const column = Math.floor(x[i] + halfWidth);
			const toColumn = Math.floor(px + halfWidth);
			const toRow = Math.floor(py + halfHeight) * across;
			if ((toColumn !== column || toRow !== row) && cells[toRow + toColumn] === 0 && cells[row + column] === 1) {
				if (cells[row + toColumn] === 1) py = y[i];
				else if (cells[toRow + column] === 1) px = x[i];
				else {
					px = x[i];
					py = y[i];
				}
			}
		}
		nx[u] = px;
		ny[u] = py;
	}
	let touching = 0;
	let closes = 0;
	for (let p = 0; p < pairs; p++) {
		const u = pairA[p];
		const v = pairB[p];
		const dx = nx[v] - nx[u];
		const dy = ny[v] - ny[u];
		const d2 = dx * dx + dy * dy;
		const apart = pairApart[p];
		const wide = apart + 2 * LONGEST_PUSH;
		if (d2 >= wide * wide) continue;
		close[closes++] = p;
		if (d2 >= apart * apart) continue;
		touching++;
		const d = Math.sqrt(d2);
		const friends = u < allies === v < allies;
		const walksU = mode[u] === 1;
		const walksV = mode[v] === 1;
		let yieldsU = walksU || friends && walksV && mode[u] !== 2 ? .5 : 0;
		let yieldsV = walksV || friends && walksU && mode[v] !== 2 ? .5 : 0;
		if (yieldsU === 0 && yieldsV === 0) yieldsU = yieldsV = .5;
		else if (yieldsU === 0) yieldsV = 1;
		else if (yieldsV === 0) yieldsU = 1;
		const ex = d > 1e-9 ? dx / d : u < v === x[first + u] <= 0 ? 1 : -1;
		const ey = d > 1e-9 ? dy / d : 0;
		const deep = (apart - d) * SCALE;
		ax[u] -= ex * deep * yieldsU | 0;
		ay[u] -= ey * deep * yieldsU | 0;
		ax[v] += ex * deep * yieldsV | 0;
		ay[v] += ey * deep * yieldsV | 0;
	}
	engine.restless = touching > 0;
	if (touching > 0) {
		for (let a = 0; a < living; a++) {
			const u = live[a];
			if (ax[u] === 0 && ay[u] === 0) continue;
			const i = first + u;
			let dx = ax[u] / SCALE;
			let dy = ay[u] / SCALE;
			const d2 = dx * dx + dy * dy;
			if (d2 > LONGEST_PUSH * LONGEST_PUSH) {
				const scale = LONGEST_PUSH / Math.sqrt(d2);
				dx *= scale;
				dy *= scale;
			}
			let px = nx[u] + dx;
			let py = ny[u] + dy;
			if (px > boundX) px = boundX;
			else if (px < -boundX) px = -boundX;
			if (py > boundY) py = boundY;
			else if (py < -boundY) py = -boundY;
			if (flies[type[i]] === 0) {
				const cells = strides[type[i]] === 1 ? terrain.strideable : terrain.walkable;
				const row = Math.floor(ny[u] + halfHeight) * across;
				const column = Math.floor(nx[u] + halfWidth);
				const toColumn = Math.floor(px + halfWidth);
				const toRow = Math.floor(py + halfHeight) * across;
				if (cells[toRow + toColumn] === 0) {
					if (cells[row + toColumn] === 1) py = ny[u];
					else if (cells[toRow + column] === 1) px = nx[u];
					else {
						px = nx[u];
						py = ny[u];
					}
				}
			}
			nx[u] = px;
			ny[u] = py;
		}
		let again = true;
		while (again) {
			again = false;
			for (let c = 0; c < closes; c++) {
				const p = close[c];
				const u = pairA[p];
				const v = pairB[p];
				const dx = nx[v] - nx[u];
				const dy = ny[v] - ny[u];
				const least = pairApart[p] - OVERLAP;
				const d2 = dx * dx + dy * dy;
				if (d2 >= least * least) continue;
				const bx = x[first + v] - x[first + u];
				const by = y[first + v] - y[first + u];
				if (d2 >= bx * bx + by * by) continue;
				const byU = (nx[u] - x[first + u]) * bx + (ny[u] - y[first + u]) * by;
				const byV = -(nx[v] - x[first + v]) * bx - (ny[v] - y[first + v]) * by;
				if (byU >= byV) blockedAt[u] = -1;
				if (byV >= byU) blockedAt[v] = -1;
				again = true;
			}
			if (!again) break;
			for (let a = 0; a < living; a++) {
				const u = live[a];
				if (blockedAt[u] !== -1) continue;
				blockedAt[u] = Infinity;
				nx[u] = x[first + u];
				ny[u] = y[first + u];
			}
		}
	}
	let farthest = 0;
	for (let a = 0; a < living; a++) {
		const u = live[a];
		const i = first + u;
		const dx = nx[u] - x[i];
		const dy = ny[u] - y[i];
		const d2 = dx * dx + dy * dy;
		if (d2 > farthest) farthest = d2;
		stride[i] = mode[u] === 1 ? Math.sqrt(d2) : 1;
		x[i] = nx[u];
		y[i] = ny[u];
	}
	engine.travelled += Math.sqrt(farthest);
}
/** Lists the pairs of a lane that may touch before somebody has travelled half the skin; lower unit first. */
function collectPairs(state, engine, first) {
	const { plan, type, x, y } = state;
	const { radius, layer } = plan.tables;
	const { live, living, pairA, pairB, pairApart } = engine;
	engine.travelled = 0;
	let pairs = 0;
	if (living <= FEW) {
		for (let a = 0; a < living; a++) {
			const u = live[a];
			const i = first + u;
			const reach = radius[type[i]] + SKIN;
			const layers = layer[type[i]];
			const px = x[i];
			const py = y[i];
			for (let b = a + 1; b < living; b++) {
				const j = first + live[b];
				const dx = x[j] - px;
				const dy = y[j] - py;
				const apart = reach + radius[type[j]];
				if (dx * dx + dy * dy >= apart * apart || (layer[type[j]] & layers) === 0) continue;
				pairApart[pairs] = apart - SKIN;
				pairA[pairs] = u;
				pairB[pairs++] = live[b];
			}
		}
		engine.pairs = pairs;
		return;
	}
	const { head, next } = engine;
	const { width, height } = plan.terrain;
	const columns = Math.ceil(width / 4);
	const rows = Math.ceil(height / 4);
	head.fill(-1);
	for (let a = living - 1; a >= 0; a--) {
		const u = live[a];
		const bucket = Math.floor((y[first + u] + height / 2) / 4) * columns + Math.floor((x[first + u] + width / 2) / 4);
		next[u] = head[bucket];
		head[bucket] = u;
	}
	for (let a = 0; a < living; a++) {
		const u = live[a];
		const i = first + u;
		const reach = radius[type[i]] + SKIN;
		const layers = layer[type[i]];
		const px = x[i];
		const py = y[i];
		const far = reach + engine.largest;
		const c0 = Math.max(0, Math.floor((px - far + width / 2) / 4));
		const c1 = Math.min(columns - 1, Math.floor((px + far + width / 2) / 4));
		const r0 = Math.max(0, Math.floor((py - far + height / 2) / 4));
		const r1 = Math.min(rows - 1, Math.floor((py + far + height / 2) / 4));
		for (let r = r0; r <= r1; r++) for (let c = c0; c <= c1; c++) for (let v = head[r * columns + c]; v >= 0; v = next[v]) {
			if (v <= u) continue;
			const j = first + v;
			const dx = x[j] - px;
			const dy = y[j] - py;
			const apart = reach + radius[type[j]];
			if (dx * dx + dy * dy >= apart * apart || (layer[type[j]] & layers) === 0) continue;
			pairApart[pairs] = apart - SKIN;
			pairA[pairs] = u;
			pairB[pairs++] = v;
		}
	}
	engine.pairs = pairs;
}
// envs/skirmish/rules.ts
/** Points of the last step by term and side, before scaling; [2, 3] damage, kills, outcome. */
const TERMS = [
	"damage",
	"kills",
	"outcome"
];
/** Plays `port.action` in the listed lanes; writes `port.reward` and `port.terminated`. */
function step(state, engine, terms, port, lanes, count) {
	const { plan, health, shield, struck } = state;
	const { units, options } = plan;
	const { before, takenBefore } = engine;
	for (let k = 0; k < count; k++) {
		const lane = lanes[k];
		const first = lane * units;
		for (let u = 0; u < units; u++) {
			before[u] = health[first + u] + shield[first + u];
			takenBefore[u] = state.taken[first + u];
			struck[first + u] = -1;
		}
		give(state, engine, port, lane);
		if (state.script !== null) state.script(lane);
		else {
			engine.travelled = -1;
			engine.restless = true;
			const tick = port.step[lane] * options.loops;
			for (let loop = 0; loop < options.loops; loop++) {
				gather(state, engine, first);
				const walkers = decide(state, engine, lane, tick + loop, loop);
				if (plan.rules === "sc2") {
					fight(state, engine, lane, port.random, port.streams);
					pushAndMove(state, engine, lane, walkers);
				} else {
					avoidAndMove(state, engine, lane);
					fight(state, engine, lane, port.random, port.streams);
				}
				if (state.watch !== null) state.watch(lane);
			}
		}
		if (state.granted.length > 0) shareSight(state, engine, lane, port.random, port.streams);
		settleStep(state, engine, terms, port, lane);
	}
}
/** Lists who is alive. */
function gather(state, engine, first) {
	const { health, plan } = state;
	const { live, exploded } = engine;
	let living = 0;
	for (let u = 0; u < plan.units; u++) {
		if (health[first + u] <= 0) continue;
		live[living++] = u;
		exploded[u] = 0;
	}
	if (living !== engine.living) engine.travelled = -1;
	engine.living = living;
}
/** Turns the agents' actions into orders. */
function give(state, engine, port, lane) {
	const { plan, order, aim, px, py, x, y, type, lastAction, facing, health } = state;
	const { units, agents, sides, options, tables } = plan;
	const { scripted } = engine;
	const first = lane * units;
	for (let u = 0; u < agents; u++) {
		const i = first + u;
		const action = port.action[lane * agents + u];
		lastAction[i] = action;
		if (scripted[u] === 1 || action === 0 || health[i] <= 0) continue;
		const own = sides[u < sides[0].count ? 0 : 1];
		if (action === 1) order[i] = 0;
		else if (action < 6) {
			const far = options.moveAmount;
			order[i] = 1;
			px[i] = x[i] + (action === 4 ? far : action === 2 || action === 3 ? 0 : -far);
			py[i] = y[i] + (action === 2 ? far : action === 3 ? -far : 0);
			aim[i] = -1;
		} else if (action < own.firstAttack) facing[i] = action - 6;
		else {
			const k = action - own.firstAttack;
			if (!options.actionMask && !reaches(state, first, u, k)) continue;
			if (tables.heals[type[i]] === 0) {
				order[i] = 2;
				aim[i] = sides[u < sides[0].count ? 1 : 0].base + k;
				continue;
			}
			const target = own.base + k;
			order[i] = mayHeal(state, i, target) ? 3 : 0;
			aim[i] = target;
		}
	}
}
/** Most points that the opponents of a side are worth. */
function fullReward(state, first, side) {
	const { plan, type } = state;
	const { options, sides, tables } = plan;
	const other = sides[1 - side];
	let sum = options.killReward * other.count + options.winReward;
	for (let u = other.base; u < other.base + other.count; u++) sum += tables.health[type[first + u]] + tables.shield[type[first + u]];
	return sum;
}
/** Whether a side has nobody left that counts. 0 somebody, 1 nobody, 2 only healers. */
function gone(state, first, side) {
	const { plan, health, type } = state;
	const { base, count } = plan.sides[side];
	let healers = 0;
	for (let u = base; u < base + count; u++) {
		if (health[first + u] <= 0) continue;
		if (plan.tables.heals[type[first + u]] === 0) return 0;
		healers++;
	}
	if (healers > 0 && plan.fighters[side] === 0) return 0;
	return healers > 0 ? 2 : 1;
}
/** From the allies' side: 0 goes on, else WON, LOST or DRAW. */
function outcomeOf(state, first) {
	const { plan } = state;
	const allies = gone(state, first, 0);
	const enemies = gone(state, first, 1);
	if (allies === 0 && enemies === 0) return 0;
	if (plan.options.compatibility && allies !== 0) return plan.medics || enemies !== 1 ? 2 : 3;
	if (plan.rules === "smaclite" && enemies === 2 && allies === 0) return 0;
	if (allies === 0) return 1;
	if (enemies === 0) return 2;
	if (allies === 1 && enemies === 2) return 2;
	if (allies === 2 && enemies === 1) return 1;
	return 3;
}
/** Rewards, totals and the end of the step. */
function settleStep(state, engine, terms, port, lane) {
	const { plan, health, shield, tally, struck, type } = state;
	const { units, sides, options, agents, tables } = plan;
	const { before, takenBefore, shuffled } = engine;
	const first = lane * units;
	const outcome = outcomeOf(state, first);
	const row = lane * 8;
	tally[row + 4] = outcome;
	port.terminated[lane] = outcome === 0 ? 0 : 1;
	for (let side = 0; side < (agents > sides[0].count ? 2 : 1); side++) {
		let damage = 0;
		let kills = 0;
		let losses = 0;
		for (let u = 0; u < units; u++) {
			if (before[u] <= 0) continue;
			const dead = health[first + u] <= 0;
			let drop = dead ? before[u] : before[u] - health[first + u] - shield[first + u];
			if (plan.rules === "smaclite") drop = Math.max(dead ? before[u] : 0, state.taken[first + u] - takenBefore[u]);
			if ((u < sides[0].count ? 0 : 1) !== side) {
				damage += drop;
				if (dead) kills += options.killReward;
			} else if (!options.onlyPositive) losses += options.negativeScale * (drop + (dead ? options.killReward : 0));
		}
		let gain = damage - losses;
		const sum = gain + kills;
		if (options.onlyPositive) gain = (options.compatibility && plan.generated === null ? Math.abs(sum) : Math.max(0, sum)) - kills;
		let end = 0;
		const won = outcome === (side === 0 ? 1 : 2);
		const lost = outcome === (side === 0 ? 2 : 1);
		if (won) end = options.winReward;
		else if (lost) end = -options.lossReward;
		if (options.sparse) {
			gain = kills = 0;
			end = won ? 1 : lost ? -1 : 0;
		}
		const scale = scaleOf(state, first, row, side);
		const at = (lane * 2 + side) * TERMS.length;
		terms[at] = gain * scale;
		terms[at + 1] = kills * scale;
		terms[at + 2] = end * scale;
		const reward = (gain + kills + end) * scale;
		for (let n = 0; n < sides[side].count; n++) port.reward[lane * agents + sides[side].base + n] = reward;
	}
	let dealt = 0;
	let taken = 0;
	for (let u = 0; u < units; u++) if (u < sides[0].count) taken += state.taken[first + u];
	else dealt += state.taken[first + u];
	tally[row + 0] = dealt;
	tally[row + 1] = taken;
	let attackers = 0;
	let top = 0;
	for (let u = sides[1].base; u < units; u++) shuffled[u] = 0;
	for (let u = 0; u < sides[0].count; u++) {
		const target = struck[first + u];
		if (target < sides[1].base || tables.heals[type[first + u]] > 0) continue;
		attackers++;
		const on = ++shuffled[target];
		if (on > top) top = on;
	}
	tally[row + 7] += attackers;
	if (attackers > 1) {
		tally[row + 2] += top;
		tally[row + 3] += attackers;
	}
}
/** Factor from points to reward. The sparse reward is scaled only under compatibility. */
function scaleOf(state, first, row, side) {
	const { plan, tally } = state;
	const { options } = plan;
	if (!options.scaled || options.sparse && !options.compatibility) return 1;
	if (!options.compatibility || plan.generated === null || side === 1) return options.scaleTo / fullReward(state, first, side);
	if (tally[row + 6] === 0) tally[row + 6] = options.scaleTo / fullReward(state, first, side);
	return tally[row + 6];
}
/** Which units the orders of the map drive, [U]: enemies that are no agents, and agents that nobody controls. */
function scriptedUnits(plan, seats) {
	const scripted = new Uint8Array(plan.units).fill(1);
	for (const seat of seats) scripted[seat] = 0;
	return scripted;
}
// envs/skirmish/index.ts
/** Per episode, from the allies' side; then damage dealt and taken by each ally. README.md defines each. */
const METRICS = [
	"won",
	"lost",
	"draw",
	"damageDealt",
	"damageTaken",
	"healed",
	"alliesLeft",
	"enemiesLeft",
	"focusFire"
];
function specOf(plan) {
	const { sides, terrain } = plan;
	const agent = (side) => (_, n) => ({
		id: side === 0 ? `agent_${n}` : `enemy_${n}`,
		team: side === 0 ? "allies" : "enemies",
		kind: "unit",
		observation: observationFeatures(plan, side, n),
		action: {
			kind: "discrete",
			names: actionNames(plan, side)
		}
	});
	const enemies = plan.agents > sides[0].count ? sides[1].count : 0;
	return {
		agents: [...Array.from({ length: sides[0].count }, agent(0)), ...Array.from({ length: enemies }, agent(1))],
		state: stateFeatures(plan),
		metrics: [
			...METRICS,
			...Array.from({ length: sides[0].count }, (_, n) => `dealtByAgent${n}`),
			...Array.from({ length: sides[0].count }, (_, n) => `takenByAgent${n}`)
		],
		streams: STREAMS,
		size: {
			width: terrain.width,
			height: terrain.height
		},
		scene: sceneOf(plan)
	};
}
function writeMetrics(state, lane, out) {
	const { plan, tally, health, dealt, taken } = state;
	const { sides, units } = plan;
	const row = lane * 8;
	const first = lane * units;
	let allies = 0;
	let enemies = 0;
	for (let u = 0; u < units; u++) {
		if (health[first + u] <= 0) continue;
		if (u < sides[0].count) allies++;
		else enemies++;
	}
	const outcome = tally[row + 4];
	out[0] = outcome === 1 ? 1 : 0;
	out[1] = outcome === 2 ? 1 : 0;
	out[2] = outcome === 3 ? 1 : 0;
	out[3] = tally[row + 0];
	out[4] = tally[row + 1];
	out[5] = tally[row + 5];
	out[6] = allies;
	out[7] = enemies;
	out[8] = tally[row + 3] === 0 ? NaN : tally[row + 2] / tally[row + 3];
	const count = sides[0].count;
	for (let n = 0; n < count; n++) {
		out[METRICS.length + n] = dealt[first + n];
		out[METRICS.length + count + n] = taken[first + n];
	}
}
function createRules(options, port) {
	const plan = planOf(options);
	const state = createState(plan, port.lanes);
	const scripted = scriptedUnits(plan, port.seats);
	const engine = createEngine(plan, scripted);
	const terms = new Float64Array(port.lanes * 2 * TERMS.length);
	return {
		arrays: savedArrays(state),
		world: state,
		reset: (lanes, count) => {
			start(state, scripted, port.random, port.streams, lanes, count);
			if (state.granted.length === 0) return;
			for (let k = 0; k < count; k++) shareSight(state, engine, lanes[k], port.random, port.streams);
		},
		step: (lanes, count) => step(state, engine, terms, port, lanes, count),
		legal: (lanes, count) => legal(state, port, lanes, count),
		observe: (lanes, count) => observe(state, port, lanes, count),
		restored: (lane) => checkLane(state, lane),
		metrics: (lane, out) => writeMetrics(state, lane, out),
		frame: (lane) => frameOf(state, lane, port.step[lane]),
		rewardTerms: (lane) => {
			const { sides, agents } = plan;
			return Object.fromEntries(TERMS.map((name, t) => [name, Float32Array.from({ length: agents }, (_, u) => {
				const side = u < sides[0].count ? 0 : 1;
				return terms[(lane * 2 + side) * TERMS.length + t];
			})]));
		},
		control: (lanes, count, agents) => {
			for (let k = 0; k < count; k++) for (let n = 0; n < agents.length; n++) {
				const i = lanes[k] * plan.agents + agents[n];
				port.action[i] = state.health[lanes[k] * plan.units + agents[n]] > 0 ? 1 : 0;
			}
		}
	};
}
const skirmish = {
	id: "skirmish",
	version: "1",
	summary: "Two groups of units fight; each agent commands one of them (SMAC, SMACv2 and SMAClite without the game).",
	options: OPTIONS,
	horizon: 200,
	horizonOf: (options) => limitOf(options),
	spec: (options) => specOf(planOf(options)),
	create: createRules
};
// agents/scripted/skirmish-targets.ts
const STOP = 1;
const NORTH = 2;
const SOUTH = 3;
const EAST = 4;
const WEST = 5;
/** A healer without patients stays this near to the others, in cells. */
const FOLLOW = 1.5;
const squared = ({ world, first, u }, v) => {
	const dx = world.x[first + v] - world.x[first + u];
	const dy = world.y[first + v] - world.y[first + u];
	return dx * dx + dy * dy;
};
/** Whether the unit's weapon can hurt opponent `v`. */
function canHit({ world, first, u }, v) {
	const { tables } = world.plan;
	return tables.hit[world.type[first + u] * tables.types.length + world.type[first + v]] > 0;
}
/** The legal target action that `better` likes best; ties to the lowest number. -1 when there is none. */
function chooseAttack(unit, score) {
	const other = unit.world.plan.sides[1 - unit.side];
	let best = -1;
	let least = Infinity;
	for (let k = 0; k < other.count; k++) {
		const v = other.base + k;
		if (!unit.legal(unit.firstAttack + k) || !canHit(unit, v)) continue;
		const value = score(v);
		if (value >= least) continue;
		least = value;
		best = unit.firstAttack + k;
	}
	return best;
}
const nearestFirst = (unit) => (v) => squared(unit, v);
const weakestFirst = ({ world, first }) => (v) => world.health[first + v] + world.shield[first + v];
/** The nearest living unit of a side that passes; -1 when there is none. */
function nearestOf(unit, side, passes) {
	const { base, count } = unit.world.plan.sides[side];
	let best = -1;
	let least = Infinity;
	for (let v = base; v < base + count; v++) {
		if (v === unit.u || unit.world.health[unit.first + v] <= 0 || !passes(v)) continue;
		const d2 = squared(unit, v);
		if (d2 >= least) continue;
		least = d2;
		best = v;
	}
	return best;
}
/**
* One step along the axis with the larger offset (x only if strictly larger), else the other axis if that is legal, else
* stop. `sign` -1 walks away.
*/
function walk(unit, v, sign = 1) {
	const { world, first, u, legal } = unit;
	const dx = sign * (world.x[first + v] - world.x[first + u]);
	const dy = sign * (world.y[first + v] - world.y[first + u]);
	const alongX = dx > 0 ? EAST : WEST;
	const alongY = dy > 0 ? NORTH : SOUTH;
	const [one, two] = Math.abs(dx) > Math.abs(dy) ? [alongX, alongY] : [alongY, alongX];
	return legal(one) ? one : legal(two) ? two : STOP;
}
/** Healers: the patient that `score` likes best among those in reach, else towards somebody hurt, else along. */
function tend(unit, score) {
	const { world, first, side, firstAttack, legal } = unit;
	const { sides, tables } = world.plan;
	const own = sides[side];
	const hurt = (v) => {
		const t = world.type[first + v];
		return tables.healable[t] === 1 && world.health[first + v] < tables.health[t];
	};
	let best = -1;
	let least = Infinity;
	for (let k = 0; k < own.count; k++) {
		if (!legal(firstAttack + k) || !hurt(own.base + k)) continue;
		const value = score(own.base + k);
		if (value >= least) continue;
		least = value;
		best = firstAttack + k;
	}
	if (best >= 0) return best;
	const patient = nearestOf(unit, side, hurt);
	if (patient >= 0) return walk(unit, patient);
	const mate = nearestOf(unit, side, (v) => tables.heals[world.type[first + v]] === 0);
	return mate >= 0 && squared(unit, mate) > FOLLOW * FOLLOW ? walk(unit, mate) : STOP;
}
/** Towards the nearest opponent anywhere. */
function advance(unit) {
	const nearest = nearestOf(unit, 1 - unit.side, () => true);
	return nearest >= 0 ? walk(unit, nearest) : STOP;
}
/** A policy from what one unit does. Turns to a target that the cone hides. */
function squad(name, choose) {
	return {
		name,
		privileged: true,
		memory: () => null,
		act(batch, agents, _memory, out, _rng) {
			const world = batch.world;
			const { plan } = world;
			const { spec, mask } = batch;
			const N = spec.agents.length;
			const A = spec.actionSize;
			for (let lane = 0; lane < batch.lanes; lane++) {
				const first = lane * plan.units;
				for (let n = 0; n < agents.length; n++) {
					const u = spec.seats[agents[n]];
					const row = (lane * N + agents[n]) * A;
					const at = lane * agents.length + n;
					if (world.health[first + u] <= 0) {
						out.action[at] = 0;
						continue;
					}
					const side = u < plan.sides[0].count ? 0 : 1;
					const { firstAttack } = plan.sides[side];
					const unit = {
						world,
						first,
						u,
						side,
						firstAttack,
						legal: (action) => mask[row + action] === 1
					};
					out.action[at] = plan.options.cone ? turned(unit, choose) : choose(unit);
				}
			}
		}
	};
}
/** Under the cone: looks at the nearest opponent in range when nobody can be attacked; else as without. */
function turned(unit, choose) {
	const action = choose(unit);
	const { world, first, u, side } = unit;
	if (action >= unit.firstAttack) return action;
	const nearest = nearestOf(unit, 1 - side, () => true);
	if (nearest < 0) return action;
	const range = world.plan.shootRange[world.type[first + u]];
	if (squared(unit, nearest) > range * range) return action;
	const dx = world.x[first + nearest] - world.x[first + u];
	const dy = world.y[first + nearest] - world.y[first + u];
	return 6 + (Math.round(Math.atan2(dy, dx) / (Math.PI / 6)) + 12) % 12;
}
// agents/scripted/skirmish-nearest.ts
const skirmishNearest = {
	name: "skirmish-nearest",
	kind: "scripted",
	summary: "Attacks the nearest enemy in reach, else walks towards the nearest; medivacs heal the nearest hurt mate.",
	envs: ["skirmish"],
	privileged: true,
	create: () => squad("skirmish-nearest", (unit) => {
		const { world, first, u } = unit;
		if (world.plan.tables.heals[world.type[first + u]] > 0) return tend(unit, nearestFirst(unit));
		const attack = chooseAttack(unit, nearestFirst(unit));
		return attack >= 0 ? attack : advance(unit);
	})
};
// agents/scripted/skirmish-focus.ts
const skirmishFocus = {
	name: "skirmish-focus",
	kind: "scripted",
	summary: "Attacks the weakest enemy in reach, else walks towards the nearest; medivacs heal the weakest hurt mate.",
	envs: ["skirmish"],
	privileged: true,
	create: () => squad("skirmish-focus", (unit) => {
		const { world, first, u } = unit;
		if (world.plan.tables.heals[world.type[first + u]] > 0) return tend(unit, weakestFirst(unit));
		const attack = chooseAttack(unit, weakestFirst(unit));
		return attack >= 0 ? attack : advance(unit);
	})
};
// agents/scripted/skirmish-kite.ts
/** Ranges below this are melee, in cells. */
const MELEE = 2;
/** A melee enemy whose edge is nearer than this chases the unit away, in cells. */
const DANGER = 3;
const skirmishKite = {
	name: "skirmish-kite",
	kind: "scripted",
	summary: "Ranged units shoot and step back from melee enemies while they reload; else as skirmish-focus.",
	envs: ["skirmish"],
	privileged: true,
	create: () => squad("skirmish-kite", (unit) => {
		const { world, first, u, side } = unit;
		const { tables, options } = world.plan;
		const type = world.type[first + u];
		if (tables.heals[type] > 0) return tend(unit, weakestFirst(unit));
		const attack = chooseAttack(unit, tables.range[type] >= MELEE ? weakestFirst(unit) : nearestFirst(unit));
		if (tables.range[type] < MELEE) return attack >= 0 ? attack : advance(unit);
		const threat = nearestOf(unit, 1 - side, (v) => tables.range[world.type[first + v]] < MELEE);
		const reloading = world.cooldown[first + u] > options.loops;
		if (threat >= 0 && reloading) {
			const dx = world.x[first + threat] - world.x[first + u];
			const dy = world.y[first + threat] - world.y[first + u];
			if (Math.sqrt(dx * dx + dy * dy) - tables.radius[type] - tables.radius[world.type[first + threat]] < DANGER) return walk(unit, threat, -1);
		}
		return attack >= 0 ? attack : advance(unit);
	})
};
// ../../tmp/rnd.ts
const E = Number(process.argv[3] ?? 20);
const names = process.argv[2] ? process.argv[2].split(",") : [...MAPS.map((m) => m.name), ...SMACV2.filter((n) => /5_vs_5/.test(n))];
const pols = {
	random: null,
	nearest: skirmishNearest,
	focus: skirmishFocus,
	kite: skirmishKite
};
const which = (process.argv[4] ?? "random,nearest,focus,kite").split(",");
for (const map of names) {
	const out = [];
	for (const p of which) {
		const batch = createBatch(skirmish, {
			map,
			rules: process.argv[5] ?? "sc2"
		}, {
			lanes: E,
			autoreset: "disabled"
		});
		batch.reset(Array.from({ length: E }, (_, l) => episodeSeed("ref", "eval", l, 0)));
		const N = batch.spec.agents.length, A = batch.spec.actionSize;
		const action = new Int32Array(E * N);
		const rng = new Generator(namedSeed("r", map + p));
		const agents = Int32Array.from({ length: N }, (_, n) => n);
		const pol = pols[p]?.create(batch.spec) ?? null;
		let run = true;
		while (run) {
			if (pol === null) for (let i = 0; i < E * N; i++) {
				let legal = 0;
				for (let a = 0; a < A; a++) legal += batch.mask[i * A + a];
				let q = rng.below(legal);
				let c = 0;
				while (batch.mask[i * A + c] === 0 || q-- > 0) c++;
				action[i] = c;
			}
			else pol.act(batch, agents, null, { action }, rng);
			batch.step(action);
			run = false;
			for (let l = 0; l < E; l++) if (!batch.terminated[l] && !batch.truncated[l]) run = true;
		}
		let w = 0, r = 0, len = 0, lost = 0;
		for (let l = 0; l < E; l++) {
			const m = batch.metrics(l);
			w += m.won;
			lost += m.lost;
			r += batch.returns[l * N];
			len += m.episodeLength;
		}
		out.push(`${p} win ${(w / E).toFixed(2)} lost ${(lost / E).toFixed(2)} ret ${(r / E).toFixed(2)} len ${(len / E).toFixed(0)}`);
	}
	console.log(map.padEnd(18), out.join(" | "));
}
export {};
