/// How long what was made is used again.
public enum Lifetime: String, Sendable, CaseIterable {
    /// Made anew each time it is resolved; belongs to who resolved it.
    case transient

    /// Made once in each scope, and let go of with the scope.
    case scoped

    /// Made once in a container, and let go of with the container.
    case singleton
}
