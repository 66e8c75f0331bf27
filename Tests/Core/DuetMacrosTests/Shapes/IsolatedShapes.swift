internal import DuetMacros

@Resolvable @MainActor final class MainClass {
    let counter: Counter
    var api: any Api
}
@Resolvable @MainActor struct MainStruct {
    let counter: Counter
    var api: any Api
}
@Resolvable @MainActor class MainDelegating {
    let counter: Counter

    init(counter: Counter) { self.counter = counter }
}
@Resolvable @MainActor class MainBase { let counter: Counter }
@Resolvable final class MainLeaf: MainBase { let api: any Api }
@Resolvable struct MainInitializer {
    let counter: Counter

    @MainActor init(counter: Counter) { self.counter = counter }
}
@Resolvable @MainActor final class MainWithNonisolatedInitializer {
    let name: String

    nonisolated init(name: String) { self.name = name }
}
@Resolvable @DatabaseActor final class DatabaseClass {
    let counter: Counter
    var api: any Api
}
@Resolvable nonisolated final class NonisolatedClass {
    let name: String

    init(name: String) { self.name = name }
}
@Resolvable nonisolated struct NonisolatedStruct { let counter: Counter }
