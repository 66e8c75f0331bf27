/// A resource that is released when its scope ends, such as a transaction, a connection, or a file.
///
/// In a `@MainActor` class, repeat `@MainActor` on `dispose()`.
public protocol Disposable: Sendable {
    /// Releases the resource.
    ///
    /// A scope calls this method once, after disposing of everything that depends on this value, even if the work
    /// failed or was canceled. The call itself is not canceled. An object that is registered under a second contract is
    /// still disposed of once, by the scope that keeps it first. A struct is disposed of with each copy.
    func dispose() async
}
