// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/IntegerSets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

using namespace hlobuf;

IntegerSets::IntegerSets() : Context(isl_ctx_alloc()) {
  isl_options_set_on_error(Context, ISL_ON_ERROR_CONTINUE);
}

IntegerSets::~IntegerSets() { isl_ctx_free(Context); }

void IntegerSets::bound(unsigned long Operations) {
  isl_ctx_reset_error(Context);
  isl_ctx_reset_operations(Context);
  isl_ctx_set_max_operations(Context, Operations);
}

bool IntegerSets::isExceeded() const {
  return isl_ctx_last_error(Context) == isl_error_quota;
}

/// Parameters are told apart by name.
static isl_id *parameterId(isl_ctx *Context, unsigned Number) {
  llvm::SmallString<16> Name("p");
  Name += std::to_string(Number);
  return isl_id_alloc(Context, Name.c_str(), nullptr);
}

static unsigned parameterNumber(const char *Name) {
  unsigned Number = 0;
  StringRef(Name).drop_front().getAsInteger(10, Number);
  return Number;
}

/// The value; nothing if it is not an integer of 64 bits.
static std::optional<int64_t> takeNumber(isl_val *V) {
  std::optional<int64_t> Number;
  if (V && isl_val_is_int(V) == isl_bool_true &&
      isl_val_n_abs_num_chunks(V, sizeof(uint64_t)) == 1) {
    uint64_t Magnitude = 0;
    isl_val_get_abs_num_chunks(V, sizeof(Magnitude), &Magnitude);
    bool Negative = isl_val_is_neg(V) == isl_bool_true;
    if (Magnitude <= uint64_t(INT64_MAX) + (Negative ? 1 : 0))
      Number = static_cast<int64_t>(Negative ? 0 - Magnitude : Magnitude);
  }
  isl_val_free(V);
  return Number;
}

IntegerSet IntegerSet::apply(const IntegerMap &Map) const {
  return IntegerSet(isl_set_apply(copy(), Map.copy()));
}

std::optional<std::pair<int64_t, int64_t>>
IntegerSet::bounds(unsigned D) const {
  IntegerSet All = forSomeParameters();
  auto Low = takeNumber(isl_set_dim_min_val(All.copy(), static_cast<int>(D)));
  auto High = takeNumber(isl_set_dim_max_val(All.copy(), static_cast<int>(D)));
  if (!Low || !High)
    return std::nullopt;
  return std::pair(*Low, *High);
}

SmallVector<unsigned, 4> IntegerMap::usedParameters() const {
  SmallVector<unsigned, 4> Used;
  isl_size Count = isl_map_dim(get(), isl_dim_param);
  for (unsigned K = 0; static_cast<int>(K) < Count; ++K)
    if (isl_map_involves_dims(get(), isl_dim_param, K, 1) == isl_bool_true)
      Used.push_back(
          parameterNumber(isl_map_get_dim_name(get(), isl_dim_param, K)));
  llvm::sort(Used);
  return Used;
}

IntegerMap IntegerMap::identity(const IntegerSets &Sets, unsigned Rank) {
  return IntegerMap(
      isl_map_identity(isl_space_alloc(Sets.context(), 0, Rank, Rank)));
}

/// The numbers of the parameters, in the order in which isl has them.
static SmallVector<unsigned, 4> parametersOf(const IntegerSet &S) {
  SmallVector<unsigned, 4> Numbers;
  isl_size Count = isl_set_dim(S.get(), isl_dim_param);
  for (unsigned K = 0; static_cast<int>(K) < Count; ++K)
    Numbers.push_back(
        parameterNumber(isl_set_get_dim_name(S.get(), isl_dim_param, K)));
  return Numbers;
}

/// The parameters \p Numbers, which are dimensions \p Type of \p Point;
/// consumes it.
static std::optional<ParameterValues>
valuesAt(ArrayRef<unsigned> Numbers, isl_point *Point, isl_dim_type Type) {
  ParameterValues Values;
  bool Void = !Point || isl_point_is_void(Point) != isl_bool_false;
  for (unsigned K = 0; !Void && K != Numbers.size(); ++K) {
    auto Value = takeNumber(isl_point_get_coordinate_val(Point, Type, int(K)));
    Void = !Value;
    Values.push_back({Numbers[K], Value.value_or(0)});
  }
  isl_point_free(Point);
  if (Void)
    return std::nullopt;
  llvm::sort(Values);
  return Values;
}

std::optional<ParameterValues>
hlobuf::samplePoint(const IntegerSet &Parameters) {
  return valuesAt(parametersOf(Parameters),
                  isl_set_sample_point(Parameters.copy()), isl_dim_param);
}

std::optional<ParameterValues>
hlobuf::extremePoint(const IntegerSet &Parameters, ArrayRef<unsigned> First,
                     bool Greatest) {
  SmallVector<unsigned, 4> Numbers = parametersOf(Parameters);
  SmallVector<unsigned, 4> Sorted;
  for (unsigned Number : First)
    if (llvm::is_contained(Numbers, Number))
      Sorted.push_back(Number);
  for (unsigned Number : Numbers)
    if (!llvm::is_contained(First, Number))
      Sorted.push_back(Number);
  // One at a time: parameters move to the end of the tuple.
  isl_set *Tuples = isl_set_from_params(Parameters.copy());
  for (unsigned K = 0; K != Sorted.size(); ++K) {
    auto Pos = unsigned(llvm::find(Numbers, Sorted[K]) - Numbers.begin());
    Tuples = isl_set_move_dims(Tuples, isl_dim_set, K, isl_dim_param, Pos, 1);
    Numbers.erase(Numbers.begin() + Pos);
  }
  Tuples = Greatest ? isl_set_lexmax(Tuples) : isl_set_lexmin(Tuples);
  return valuesAt(Sorted, isl_set_sample_point(Tuples), isl_dim_set);
}

LinearTerm RelationBuilder::addInner(int64_t Size) {
  LinearTerm Term{TermKind::Inner, Inner++, 1};
  within(Term.Kind, Term.Index, {}, Size);
  return Term;
}

void RelationBuilder::equal(ArrayRef<LinearTerm> Terms, int64_t Constant) {
  Rows.push_back({true, {Terms.begin(), Terms.end()}, Constant});
}

void RelationBuilder::apart(LinearTerm A, LinearTerm B,
                            SymbolicIndex Distance) {
  B.Factor = -B.Factor;
  Rows.push_back({true, {A, B}, -Distance.Constant});
  if (Distance.Parameter)
    Rows.back().Terms.push_back({TermKind::Parameter, *Distance.Parameter, -1});
}

void RelationBuilder::notNegative(ArrayRef<LinearTerm> Terms,
                                  int64_t Constant) {
  Rows.push_back({false, {Terms.begin(), Terms.end()}, Constant});
}

void RelationBuilder::within(TermKind Kind, unsigned Index, SymbolicIndex Begin,
                             int64_t Size) {
  SmallVector<LinearTerm, 2> Above = {{Kind, Index, 1}};
  SmallVector<LinearTerm, 2> Below = {{Kind, Index, -1}};
  if (Begin.Parameter) {
    Above.push_back({TermKind::Parameter, *Begin.Parameter, -1});
    Below.push_back({TermKind::Parameter, *Begin.Parameter, 1});
  }
  notNegative(Above, -Begin.Constant);
  notNegative(Below, Begin.Constant + Size - 1);
}

isl_mat *RelationBuilder::matrix(ArrayRef<unsigned> Used, bool Equal) const {
  auto Matches = [&](const Row &R) { return R.Equal == Equal; };
  auto Height = static_cast<unsigned>(llvm::count_if(Rows, Matches));
  auto Last = static_cast<unsigned>(Used.size()) + In + Out + Inner;
  isl_mat *All = isl_mat_alloc(Sets.context(), Height, Last + 1);
  unsigned I = 0;
  auto Add = [&](unsigned Column, int64_t Number) {
    isl_val *Sum = isl_val_add(isl_mat_get_element_val(All, I, Column),
                               isl_val_int_from_si(Sets.context(), Number));
    All = isl_mat_set_element_val(All, I, Column, Sum);
  };
  for (const Row &R : llvm::make_filter_range(Rows, Matches)) {
    for (unsigned K = 0; K != Last + 1; ++K)
      All = isl_mat_set_element_si(All, I, K, 0);
    for (const LinearTerm &T : R.Terms) {
      unsigned Column = T.Index;
      if (T.Kind == TermKind::Parameter)
        Column = unsigned(llvm::find(Used, T.Index) - Used.begin());
      else
        Column += Used.size() + (T.Kind == TermKind::In ? 0 : In) +
                  (T.Kind == TermKind::Inner ? Out : 0);
      Add(Column, T.Factor);
    }
    Add(Last, R.Constant);
    ++I;
  }
  return All;
}

IntegerMap RelationBuilder::map() {
  isl_ctx *Context = Sets.context();
  SmallVector<unsigned, 4> Used;
  for (const Row &R : Rows)
    for (const LinearTerm &T : R.Terms)
      if (T.Kind == TermKind::Parameter && !llvm::is_contained(Used, T.Index))
        Used.push_back(T.Index);
  llvm::sort(Used);
  isl_space *Space = isl_space_alloc(
      Context, static_cast<unsigned>(Used.size()), In, Out + Inner);
  for (unsigned K = 0; K != Used.size(); ++K)
    Space = isl_space_set_dim_id(Space, isl_dim_param, K,
                                 parameterId(Context, Used[K]));
  // Inner variables are the last ones of the range until they are projected
  // out.
  isl_basic_map *All = isl_basic_map_from_constraint_matrices(
      Space, matrix(Used, true), matrix(Used, false), isl_dim_param, isl_dim_in,
      isl_dim_out, isl_dim_div, isl_dim_cst);
  isl_map *Map = isl_map_from_basic_map(All);
  if (Inner != 0)
    Map = isl_map_project_out(Map, isl_dim_out, Out, Inner);
  return IntegerMap(Map);
}

static isl_set *allParameters(isl_ctx *Context) {
  return isl_set_universe(isl_space_params_alloc(Context, 0));
}

static isl_pw_aff *constantOf(isl_ctx *Context, int64_t Value) {
  return isl_pw_aff_val_on_domain(allParameters(Context),
                                  isl_val_int_from_si(Context, Value));
}

SymbolicNumber SymbolicNumber::constant(const IntegerSets &Sets,
                                        int64_t Value) {
  return SymbolicNumber(constantOf(Sets.context(), Value));
}

SymbolicNumber SymbolicNumber::number(int64_t Value) const {
  return get() ? SymbolicNumber(constantOf(isl_pw_aff_get_ctx(get()), Value))
               : SymbolicNumber();
}

SymbolicNumber SymbolicNumber::parameter(const IntegerSets &Sets,
                                         unsigned Number) {
  isl_ctx *Context = Sets.context();
  return SymbolicNumber(isl_pw_aff_param_on_domain_id(
      allParameters(Context), parameterId(Context, Number)));
}

/// Null where \p Like is.
static isl_val *powerOfTwo(isl_pw_aff *Like, unsigned Exponent) {
  return Like ? isl_val_2exp(
                    isl_val_int_from_ui(isl_pw_aff_get_ctx(Like), Exponent))
              : nullptr;
}

SymbolicNumber SymbolicNumber::modulo(unsigned Bits) const {
  return SymbolicNumber(isl_pw_aff_mod_val(copy(), powerOfTwo(get(), Bits)));
}

SymbolicNumber SymbolicNumber::shiftLeft(unsigned Bits) const {
  return SymbolicNumber(isl_pw_aff_scale_val(copy(), powerOfTwo(get(), Bits)));
}

SymbolicNumber SymbolicNumber::shiftRight(unsigned Bits) const {
  return SymbolicNumber(isl_pw_aff_floor(
      isl_pw_aff_scale_down_val(copy(), powerOfTwo(get(), Bits))));
}

IntegerSet SymbolicNumber::where(CompareDirection C,
                                 const SymbolicNumber &Other) const {
  switch (C) {
  case CompareDirection::EQ:
    return IntegerSet(isl_pw_aff_eq_set(copy(), Other.copy()));
  case CompareDirection::NE:
    return IntegerSet(isl_pw_aff_ne_set(copy(), Other.copy()));
  case CompareDirection::LT:
    return IntegerSet(isl_pw_aff_lt_set(copy(), Other.copy()));
  case CompareDirection::LE:
    return IntegerSet(isl_pw_aff_le_set(copy(), Other.copy()));
  case CompareDirection::GT:
    return IntegerSet(isl_pw_aff_gt_set(copy(), Other.copy()));
  case CompareDirection::GE:
    return IntegerSet(isl_pw_aff_ge_set(copy(), Other.copy()));
  }
  return {};
}

IntegerSet SymbolicNumber::values() const {
  return IntegerSet(isl_set_from_pw_aff(copy())).forSomeParameters();
}

std::optional<int64_t> SymbolicNumber::constant() const {
  // isl calls constant what is so on each piece.
  if (!get() || isl_pw_aff_is_cst(get()) != isl_bool_true)
    return std::nullopt;
  auto Bounds = values().bounds(0);
  return Bounds && Bounds->first == Bounds->second
             ? std::optional(Bounds->first)
             : std::nullopt;
}
