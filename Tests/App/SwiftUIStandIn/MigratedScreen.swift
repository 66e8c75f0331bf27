// The screen of Lambdaspire's SwiftData sample with Duet, type-checked by scripts/swiftui.sh: the lines that the guide
// "Move from Lambdaspire" calls the same are the same.
import Duet
import DuetDependencies
import DuetMacros
import DuetSwiftUI
import SwiftUI

final class ModelContext {}

final class SomeEntity: Identifiable {
    let name = "Entity"
}

struct AddEntityCommand: Command {}

struct GetRandomEntityQuery: Query {
    typealias Value = SomeEntity
}

@MainActor
func makeContainer(_ modelContext: ModelContext) throws -> Container {
    let builder = ContainerBuilder()
    builder.transient { @MainActor in MainActorValue(modelContext) }
    return try builder.build()
}

struct BootstrapperView<Content: View>: View {
    var content: () -> Content

    @State private var container: Container?
    @State private var modelContext = ModelContext()

    var body: some View {
        if let container {
            content()
                .resolving(from: container)
        } else {
            ProgressView()
                .task { container = try? makeContainer(modelContext) }
        }
    }
}

@ResolvedScope
struct RootView: View {
    @State private var random: SomeEntity?

    @Resolved private var dispatcher: CommandQueryDispatcher

    @Resolved private var modelContext: ModelContext?

    var body: some View {
        Text(modelContext == nil || scope == nil ? "Not resolved yet" : "Entities")
            .sheet(item: $random) { random in
                Text("Random: \(random.name)")
            }
            .toolbar {
                Button("Add") {
                    Task {
                        try await dispatcher.dispatch(AddEntityCommand())
                    }
                }
                Button("View Random") {
                    Task { @MainActor in
                        random = try await dispatcher.dispatch(GetRandomEntityQuery())
                    }
                }
            }
    }
}
