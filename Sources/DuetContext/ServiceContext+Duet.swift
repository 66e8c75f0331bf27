public import ServiceContextModule

/// What travels beside a message: carriers take it from one process to the next, and only what needs it reads it.
extension ServiceContext {
    /// By when the answer is of use; nil for no limit.
    public var deadline: Deadline? {
        get { self[DeadlineKey.self] }
        set { self[DeadlineKey.self] = newValue }
    }

    /// On whose behalf the message is handled; nil for a stranger.
    public var principal: Principal? {
        get { self[PrincipalKey.self] }
        set { self[PrincipalKey.self] = newValue }
    }

    /// What marks several sendings of a command as one and the same, so that it is done once.
    public var idempotencyKey: String? {
        get { self[IdempotencyKeyKey.self] }
        set { self[IdempotencyKeyKey.self] = newValue }
    }
}

private enum DeadlineKey: ServiceContextKey {
    typealias Value = Deadline
}

private enum PrincipalKey: ServiceContextKey {
    typealias Value = Principal
}

private enum IdempotencyKeyKey: ServiceContextKey {
    typealias Value = String
}
