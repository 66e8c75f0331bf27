import Foundation

/// The tables of texts, one a language.
///
/// They are written as `.strings` files and built into the code, under names that no build system translates: a program
/// that is moved keeps its languages, and `pt-BR` is called the same on every platform.
enum Texts {
    private static let english = table(PackageResources.en_strings)
    private static let greek = table(PackageResources.el_strings)
    private static let brazilianPortuguese = table(PackageResources.pt_BR_strings)

    static func table(for language: Language) -> [String: String] {
        switch language {
        case .english: english
        case .greek: greek
        case .brazilianPortuguese: brazilianPortuguese
        }
    }

    private static func table(_ strings: [UInt8]) -> [String: String] {
        // Unsafe only because the format found could be asked for through a pointer; nil asks for nothing.
        let table = try? unsafe PropertyListSerialization.propertyList(from: Data(strings), format: nil)
        return table as? [String: String] ?? [:]
    }
}
