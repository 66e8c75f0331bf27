import Foundation

/// The values of templates, as dictionaries.
///
/// Mustache reflects a structure at each use of a member, which took two thirds of the time of a page.
enum TemplateValues {
    /// Returns a dictionary in place of each structure, and omits members that are nil.
    static func values(of value: Any) -> Any? {
        switch value {
        case is String, is Int, is Bool, is UUID, is [String: String]: return value
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            return mirror.children.first.flatMap { values(of: $0.value) }
        case .collection:
            return mirror.children.compactMap { values(of: $0.value) }
        case .struct:
            return mirror.children.reduce(into: [String: Any]()) { members, member in
                if let name = member.label { members[name] = values(of: member.value) }
            }
        case .dictionary:
            return (value as? [String: Any])?.compactMapValues(values(of:))
        default:
            return value
        }
    }
}
