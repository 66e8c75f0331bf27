/// A message that can say of itself that it makes no sense.
public protocol Validatable {
    /// Checks the message; it goes no further when this throws.
    ///
    /// - Throws: What is wrong with it and what to do, as the caller shall see it.
    func validate() throws
}
