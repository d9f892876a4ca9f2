import { FairleadError } from '../fairlead-error.ts'
import { defineMethod, type AnyMethodOptions, type ToolMethod, type ToolMethodOptions } from './method-as-tool.ts'
import { declareMethod } from './tools-of.ts'
import type { ArgumentsOf, InputSchema } from './tool.ts'

/** Decorates a public method whose first parameter fits the schema. Private and static methods do not compile. */
export type ToolMethodDecorator<TArguments, TServices> = <
  TThis extends object,
  TMethod extends ToolMethod<TThis, TArguments, TServices>,
>(
  method: TMethod,
  context: ClassMethodDecoratorContext<TThis, TMethod> & { readonly private: false; readonly static: false },
) => void

/**
 * Makes a method of a class a tool of each of its instances: `@toolMethod({ description, inputSchema, … })`. The method
 * runs with the instance as `this`, so services given to the constructor are at hand. List the instance:
 * `new Agent({ tools: [new WeatherPlugin(api)] })`. Inherited methods are listed too; where a subclass overrides one,
 * the override runs. A standard (TC39) decorator; loaders that call decorators the older way, such as the one that
 * reads `fairlead.config.ts`, work as well. Throws `INVALID_TOOL` when the class is defined.
 */
export function toolMethod<TSchema extends InputSchema, TServices = unknown>(
  options: ToolMethodOptions<TSchema, TServices>,
): ToolMethodDecorator<ArgumentsOf<TSchema>, TServices> {
  if (typeof options !== 'object' || options === null) {
    throw new FairleadError(
      'INVALID_TOOL',
      `toolMethod takes the options of the tool; found ${typeof options}. Write @toolMethod({ description: '…', inputSchema }).`,
    )
  }
  return (...called: readonly unknown[]) => decorate(called, options)
}

/** Where a decorator stands, as the standard says it. */
type Place = Pick<ClassMethodDecoratorContext, 'name' | 'static' | 'private'> & { readonly kind: string }

function decorate(called: readonly unknown[], options: AnyMethodOptions): void {
  const [target, second] = called
  if (isStandardContext(second)) {
    const method = methodAt(second, options)
    // Runs when an instance is made, before its fields are: the first moment the instance is known.
    second.addInitializer(function declare() {
      declareMethod(this, method, options)
    })
    return
  }
  // The older way: the class's prototype (or, for a static member, the class) and the name. What else is handed over
  // differs from one compiler to the next.
  const member = Object.getOwnPropertyDescriptor(Object(target), second as PropertyKey)
  const place = {
    kind: typeof member?.value === 'function' ? 'method' : 'member',
    name: second as string | symbol,
    static: typeof target === 'function',
    private: false,
  }
  const method = methodAt(place, options)
  // A class's prototype, as decorators of this kind are always given.
  declareMethod(target as object, method, options)
}

function isStandardContext(value: unknown): value is ClassMethodDecoratorContext<object> {
  return typeof value === 'object' && value !== null && 'kind' in value && 'addInitializer' in value
}

/** The name of the method, after everything about it and its options has been checked. */
function methodAt(place: Place, options: AnyMethodOptions): string {
  const name = String(place.name)
  const refuse = (what: string): FairleadError =>
    new FairleadError(
      'INVALID_TOOL',
      `@toolMethod is for public methods of instances; found ${what} "${name}". Decorate a public method that calls it.`,
    )
  if (place.kind !== 'method') throw refuse(`a ${place.kind}`)
  if (place.private) throw refuse('the private method')
  if (place.static) throw refuse('the static method')
  if (typeof place.name === 'symbol') throw refuse('a method without a text for a name,')
  // Made once for its checks: what is wrong is said where the class is defined, not where an agent is made.
  defineMethod(name, options, () => undefined)
  return name
}
