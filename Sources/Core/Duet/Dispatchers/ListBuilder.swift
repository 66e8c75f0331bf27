/// Builds a list, one element per line, with `if`, `switch`, `for`, and nested lists.
///
/// A module that accepts such a list extends the builder for its element, so that `@ListBuilder<HandlerRegistration>`
/// accepts handlers.
@resultBuilder
public enum ListBuilder<Element> {
    /// Adds one element.
    public static func buildExpression(_ element: Element) -> [Element] { [element] }

    /// Adds the elements of a list.
    public static func buildExpression(_ elements: [Element]) -> [Element] { elements }

    /// Joins the lines of a block, in order.
    public static func buildBlock(_ lists: [Element]...) -> [Element] { lists.flatMap(\.self) }

    /// Adds the elements of an `if` without `else`.
    public static func buildOptional(_ elements: [Element]?) -> [Element] { elements ?? [] }

    /// Adds the elements of the first branch of an `if` or `switch`.
    public static func buildEither(first elements: [Element]) -> [Element] { elements }

    /// Adds the elements of the other branch of an `if` or `switch`.
    public static func buildEither(second elements: [Element]) -> [Element] { elements }

    /// Joins the elements of each iteration of a `for` loop.
    public static func buildArray(_ lists: [[Element]]) -> [Element] { lists.flatMap(\.self) }
}
