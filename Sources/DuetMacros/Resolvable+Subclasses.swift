extension Resolvable {
    /// Lets the code that `@Resolvable` writes for a subclass call `super.init(from:)`.
    ///
    /// A class that is made with an initialiser of its own declares this for itself, unavailable where it is called, with
    /// the message that tells what to do. It is no use to anybody else.
    @inlinable
    public static func _resolvesSubclass(of type: Self.Type) {}
}
