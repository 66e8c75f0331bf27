import DuetDependencies

/// The registrations of one test.
struct Registrations: ContainerModule {
    private let register: (ContainerBuilder) -> Void

    init(_ register: @escaping (ContainerBuilder) -> Void) {
        self.register = register
    }

    func register(in builder: ContainerBuilder) {
        register(builder)
    }
}
