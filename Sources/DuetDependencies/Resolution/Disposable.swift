/// Something that has to be let go of when the scope that made it ends: a transaction, a connection, a file.
///
/// A `@MainActor` class that conforms repeats `@MainActor` on `dispose()`.
public protocol Disposable: Sendable {
    /// Lets go of what this holds.
    ///
    /// A scope calls it once, after everything that depends on this was disposed of, also when the work failed or was
    /// cancelled. The call itself is not cancelled.
    func dispose() async
}
